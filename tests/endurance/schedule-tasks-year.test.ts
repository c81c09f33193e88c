import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { listNextRuns } from '@signalbox/messages/schedule/next-runs';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { runDueSchedules } from '@signalbox/store/schedules/due-schedules';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceUrl } from '../support/service-login.ts';
import { eventually } from '../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

/*
 * Orders of 200 people over a simulated year. Two job services put them into lanes, and a worker carries each out as a turn of its owner, all
 * under the logins of production; only the clock of the job services is moved. Each due time of each order has one effect, or is reported.
 */

const PEOPLE = 200;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FROM = Date.parse('2026-01-01T12:00:00Z');
const END = FROM + 365 * DAY_MS;
/** Zones whose clocks change in spring and autumn, on both halves of the Earth, and some that never change. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'America/Santiago', 'Asia/Shanghai', 'UTC'];
/** Days on which the clocks of one of the zones change, at an hour that is left out or comes twice, and plain days. */
const CALENDARS = [
  { hour: 2, days: [25, 29], months: [3, 10] }, // Berlin
  { hour: 2, days: [1, 8], months: [3, 11] }, // New York
  { hour: 2, days: [4, 5], months: [4, 10] }, // Sydney
  { hour: 0, days: [5, 6], months: [4, 9] }, // Santiago
  { hour: 9, days: [13], months: [2, 5, 8, 12] },
] as const;
/** Times in which no job service runs. */
const OUTAGES = [
  [FROM + 20 * DAY_MS, 30 * MINUTE_MS],
  [Date.parse('2026-03-29T00:50:00Z'), 20 * MINUTE_MS], // Berlin's gap
  [Date.parse('2026-04-04T14:00:00Z'), 5 * HOUR_MS], // Sydney's repeated hour
  [Date.parse('2026-05-12T20:00:00Z'), 6 * DAY_MS],
  [Date.parse('2026-10-25T00:00:00Z'), 45 * MINUTE_MS],
  [Date.parse('2026-11-01T04:00:00Z'), 2 * DAY_MS],
] as const;
/** When every tenth owner loses their role. */
const DEMOTED_AT = FROM + 200 * DAY_MS;

let bench: WorkerBench;
let services: readonly Pool[];
/** Number of turns in which the model was asked, by schedule: its effect has a new name each time, so a second one would show. */
const asked = new Map<string, number>();

beforeAll(async () => {
  bench = await openWorkerBench();
  services = ['jobs-1', 'jobs-2'].map((name) =>
    openPool(serviceUrl(bench.databaseUrl, 'maintenance'), createLog('test', 'silent'), {
      name,
      max: 4,
      as: 'maintenance',
    }),
  );
  await bench.startWorker({
    script: (messages) => {
      const said = messages.findLast(HumanMessage.isInstance)?.text ?? '';
      const [, person = ''] = /add a project for person (\d+)/.exec(said) ?? [];
      if (person === '' || messages.at(-1) instanceof ToolMessage) return { content: 'That is all.' };
      const count = (asked.get(person) ?? 0) + 1;
      asked.set(person, count);
      return {
        toolCalls: [{ name: 'create_project_intent', args: { name: `w${person}x${count}`, description: 'tea' } }],
      };
    },
  });
  await bench.pool.query(
    `insert into users (user_key, channel, name, role)
     select n::text, 'telegram', 'P' || n, 'developer' from generate_series(1, $1::int) n`,
    [PEOPLE],
  );
  await bench.pool.query(`insert into chats (chat_key) select 'telegram:' || n from generate_series(1, $1::int) n`, [
    PEOPLE,
  ]);
  for (let n = 1; n <= PEOPLE; n += 1) await makeSchedule(n);
}, 120_000);
afterAll(async () => {
  for (const pool of services) await pool.end();
  await bench.close();
});

function zoneOf(n: number): string {
  return ZONES[n % ZONES.length] ?? 'UTC';
}
function calendarOf(n: number): (typeof CALENDARS)[number] {
  return CALENDARS[n % CALENDARS.length] ?? CALENDARS[0];
}
/** Person 1 has an order for each week; the others, for the days of a calendar. */
function patternOf(n: number): string {
  if (n === 1) return '30 2 * * 0';
  const { hour, days, months } = calendarOf(n);
  return `30 ${hour} ${days.join(',')} ${months.join(',')} *`;
}
/** The days on which an order is due, by the calendar alone. */
function datesOf(n: number): readonly string[] {
  const two = (part: number): string => String(part).padStart(2, '0');
  const { days, months } = calendarOf(n);
  return months.flatMap((month) => days.map((day) => `2026-${two(month)}-${two(day)}`));
}

async function makeSchedule(n: number): Promise<void> {
  const [key, task, actionId] = [String(n), `add a project for person ${n}`, `act_schedule_${n}`];
  const times = { pattern: patternOf(n), at: null, zone: zoneOf(n) };
  const [next] = listNextRuns(times, new Date(FROM), 1);
  await bench.pool.query(
    `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
     values ($1, 'turn_made', 'user_' || $2, $2, 'create_schedule', $3, 1, 'done')`,
    [actionId, key, JSON.stringify({ task })],
  );
  await bench.pool.query(
    `insert into schedules (action_id, user_key, chat_key, chat_kind, thread_id, kind, task, pattern, zone, role, next_at)
     values ($1, $2, 'telegram:' || $2, 'private', 'user_' || $2, 'task', $3, $4, $5, 'developer', $6)`,
    [actionId, key, task, times.pattern, times.zone, next],
  );
}

/** Both services look at the same moment; now and then one loses its connections in the middle. */
async function look(at: number, isCut: boolean): Promise<void> {
  const looks = Promise.allSettled(services.map((pool) => runDueSchedules(pool, new Date(at))));
  if (isCut)
    await bench.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'signalbox-jobs-2'
          and datname = current_database()`,
    );
  const done = await looks;
  // What was cut off is tried again by the next look.
  await runDueSchedules(services[0] ?? bench.pool, new Date(at));
  const lanes = done.flatMap((one) => (one.status === 'fulfilled' ? one.value.wakes : []));
  for (const { userKey } of lanes) await bench.wake(userKey);
}

const answered = (): Promise<unknown> =>
  eventually(
    async () => (await bench.pool.query('select 1 from inbox where outcome is null')).rowCount,
    (count) => count === 0,
    60_000,
  );

interface Run {
  readonly at: Date;
  readonly outcome: string;
  readonly missed: number;
  readonly messages: number;
  readonly outcomes: readonly string[];
  readonly effects: number;
  readonly told: number;
}

it('each due time of 200 orders in a year has one governed effect or is reported, and never two', async () => {
  const due = new Set<number>();
  for (let n = 1; n <= PEOPLE; n += 1)
    for (const at of listNextRuns({ pattern: patternOf(n), at: null, zone: zoneOf(n) }, new Date(FROM), 60))
      if (at.getTime() < END) due.add(at.getTime() + 3_000);
  const outage = (at: number) => OUTAGES.find(([begin, lastsMs]) => at >= begin && at < begin + lastsMs);
  const looks = [...due, ...OUTAGES.map(([begin, lastsMs]) => begin + lastsMs), DEMOTED_AT, END]
    .filter((at) => outage(at) === undefined)
    .toSorted((one, other) => one - other);
  for (const [place, at] of looks.entries()) {
    if (at === DEMOTED_AT) await bench.pool.query(`update users set role = 'viewer' where user_key::int % 10 = 0`);
    await look(at, place % 5 === 4);
    await answered();
  }

  for (let n = 1; n <= PEOPLE; n += 1) {
    const expected = listNextRuns({ pattern: patternOf(n), at: null, zone: zoneOf(n) }, new Date(FROM), 60).filter(
      (at) => at.getTime() < END,
    );
    const runs = await listRuns(n);
    expect([n, ...countDays(expected, zoneOf(n))]).toEqual([n, ...(n === 1 ? [52] : datesOf(n))]);
    // Each due time is a run of its own, or is counted by the next one.
    const last = runs.at(-1)?.at.getTime() ?? FROM;
    const isDemoted = n % 10 === 0;
    const reached = expected.filter((at) => (isDemoted ? at.getTime() <= last : true));
    let from = 0;
    for (const { at, missed } of runs) {
      const place = expected.findIndex((one) => one.getTime() === at.getTime());
      expect([n, place - from]).toEqual([n, missed]);
      from = place + 1;
    }
    expect([n, from]).toEqual([n, reached.length]);
    for (const { outcome, messages, outcomes, effects, told } of runs) {
      const one = outcome === 'ran' ? 1 : 0;
      expect([n, outcome, messages, outcomes, effects, told]).toEqual([
        n, expect.stringMatching(/^(ran|late)$/), one, one ? ['answered'] : [], one, 1,
      ]); // prettier-ignore
    }
    expect(runs.every(({ at }) => !isDemoted || at.getTime() <= DEMOTED_AT)).toBe(true);
  }
  const counts = async (sql: string): Promise<unknown> => (await bench.pool.query(sql)).rows;
  const [{ ran, late }] = (await counts(
    `select count(*) filter (where outcome = 'ran')::int as ran, count(*) filter (where outcome = 'late')::int as late from schedule_runs`,
  )) as [{ ran: number; late: number }]; // one row of counts
  expect(ran).toBeGreaterThan(300);
  expect(late).toBeGreaterThan(20);
  expect(await counts('select count(*)::int as n from projects')).toEqual([{ n: ran }]);
  expect(await counts(`select count(*)::int as n from schedules where state = 'paused'`)).toEqual([{ n: PEOPLE / 10 }]);
  expect(
    await counts(
      `select count(distinct user_key)::int as n, count(*)::int as told from outbox where key like 'schedule:%:role'`,
    ),
  ).toEqual([{ n: PEOPLE / 10, told: PEOPLE / 10 }]);
}, 900_000);

/** What came of each due time of a person's order, with its messages, turns and effects. */
async function listRuns(n: number): Promise<readonly Run[]> {
  const { rows } = await bench.pool.query<Run>(
    `select r.due_at as at, r.outcome, r.missed, count(i.id)::int as messages,
            coalesce(array_agg(i.outcome) filter (where i.id is not null), '{}') as outcomes,
            (select count(*)::int from actions a join projects p using (action_id)
              where a.status = 'done' and a.tool = 'create_project_intent' and a.turn_id in (
                select e.turn_id from inbox e where e.bot = 'schedules' and e.update_id = m.key)) as effects,
            (select count(*)::int from outbox o where o.key = 'schedule:' || m.key) as told
       from schedule_runs r join schedules s using (schedule_id)
      cross join lateral (select r.schedule_id || ':' || (extract(epoch from r.due_at) * 1000)::bigint as key) m
       left join inbox i on i.channel = 'system' and i.bot = 'schedules' and i.update_id = m.key
      where s.user_key = $1 group by r.due_at, r.outcome, r.missed, m.key order by r.due_at`,
    [String(n)],
  );
  return rows;
}

/** The local days of due times, as the calendar of the zone has them; for a weekly order, their number. */
function countDays(due: readonly Date[], zone: string): readonly (string | number)[] {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const days = due.map((at) => day.format(at));
  return days.length > 10 ? [new Set(days).size] : days;
}
