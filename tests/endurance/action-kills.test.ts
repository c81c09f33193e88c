import { afterEach, describe, expect, it } from 'vitest';
import type { DeployWay } from '../support/deploy-target.ts';
import { openKillField, type Boundary, type Deployer, type KillField } from '../support/kill-field.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import { eventually } from '../support/until.ts';

/*
 * Workers in processes of their own are killed with SIGKILL at every place of an action: before the server has each of its statements,
 * after the server has answered and before the worker knows, and on both sides of the change that the target makes. Which statements
 * there are is what a clean run sends, so that one that is added is covered by itself. Several people's turns are brought to a place
 * of their own each, and stand still there, before the worker is killed: one death is that of all of them.
 */

interface Way extends DeployWay {
  readonly name: string;
  /** The statement that the action's part of the turn begins with. */
  readonly from: RegExp;
  /** People whose turns stand still together: whoever holds a lock holds one of a worker's four connections for locks. */
  readonly together: number;
}
/** No way has more places. A person each waits for theirs before it is known how many there are. */
const MAX_PLACES = 46;
const WAYS: readonly Way[] = [
  {
    name: 'runs unasked and cannot be looked up',
    risk: 'sensitive',
    hasProbe: false,
    hasLock: true,
    // What comes before is the same without a lock.
    from: /pg_try_advisory_lock|pg_advisory_lock/,
    together: 4,
  },
  {
    name: 'runs unasked without a lock and cannot be looked up',
    risk: 'sensitive',
    hasProbe: false,
    hasLock: false,
    from: /own_words/,
    together: 17,
  },
  {
    name: 'was approved and cannot be looked up',
    risk: 'dangerous',
    hasProbe: false,
    hasLock: false,
    from: /lane_begin/,
    together: 17,
  },
  {
    name: 'was approved and can be looked up',
    risk: 'dangerous',
    hasProbe: true,
    hasLock: false,
    from: /lane_begin/,
    together: 17,
  },
];

let field: KillField;
afterEach(() => field.close());

describe('an action whose worker is killed', () => {
  it.each(WAYS)(
    'happens at most once, is reported correctly and ends, when it $name',
    async (way) => {
      field = await openKillField(way);
      const isAsked = way.risk === 'dangerous';
      const [clean, ...others] = (await field.deployers(1 + MAX_PLACES)) as [Deployer, ...Deployer[]];
      if (isAsked) await letThemAsk([clean, ...others]);
      else await field.startWorker();
      const boundaries = await boundariesOf(way, clean);
      expect(boundaries.length, 'a person for each place').toBeLessThanOrEqual(others.length);
      const everybody = others.slice(0, boundaries.length);
      everybody.forEach((who, place) => (who.boundary = boundaries[place] ?? null));
      const killedAt = new Map<Deployer, string>();
      for (let first = 0; first < everybody.length; first += way.together) {
        const going = everybody.slice(first, first + way.together);
        field.look(going);
        await (isAsked ? field.approve(going) : field.ask(going));
        await eventually(
          () =>
            Promise.resolve(
              going.filter((who) => !who.isHeld).map((who) => ({ at: nameOf(who.boundary), sent: who.sent.slice(-1) })),
            ),
          (moving) => moving.length === 0,
          120_000,
        );
        await field.killWorker();
        field.look([]);
        for (const who of going) killedAt.set(who, await statusOf(who));
        await field.startWorker(first + way.together >= everybody.length ? 'last' : 'next');
        await field.settle(going);
      }
      const left = await leftOver();
      const wrong: string[] = [];
      for (const who of everybody)
        for (const problem of await problemsOf(way, who, killedAt.get(who) ?? ''))
          wrong.push(`killed ${nameOf(who.boundary)}: ${problem}`);
      expect(wrong).toEqual([]);
      expect(field.early, 'changes without a committed intent').toEqual([]);
      expect(left).toEqual({ held: 0, open: 0, started: 0, unsent: 0, letters: 0 });
      await eventually(isAuditWhole, Boolean, 30_000);
      // Every fate was met, or the kills were not where they should be.
      expect(new Set(killedAt.values())).toEqual(new Set([isAsked ? 'waiting' : 'none', 'started', 'done']));
    },
    400_000,
  );
});

/** What one undisturbed turn sends, as places on both sides of each statement and of the change. */
async function boundariesOf(way: Way, clean: Deployer): Promise<readonly Boundary[]> {
  field.look([clean]);
  await (way.risk === 'dangerous' ? field.approve([clean]) : field.ask([clean]));
  await eventually(
    () => statusOf(clean),
    (status) => status === 'done',
    60_000,
  );
  await field.settle([clean]);
  field.look([]);
  const begin = clean.sent.findIndex(({ text }) => way.from.test(text));
  const end = clean.sent.findLastIndex(({ text }) => /lane_finish/.test(text));
  const part = clean.sent.slice(begin, end + 1);
  expect(part.length, 'facts, checkpoint, intent, settlement, end').toBeGreaterThanOrEqual(5);
  return [
    ...part.flatMap(({ text, nth, inTransaction }): Boundary[] => [
      { at: 'statement', text, nth, side: 'before' },
      // Inside of a transaction, after a statement is before the next one: nothing of either is there when the worker dies.
      ...(inTransaction ? [] : [{ at: 'statement', text, nth, side: 'after' } as const]),
    ]),
    { at: 'effect', side: 'before' },
    { at: 'effect', side: 'after' },
  ];
}

/** Their requests are made by a worker that is gone when they are decided about, so that whoever goes on knows only the tables. */
async function letThemAsk(who: readonly Deployer[]): Promise<void> {
  await field.startWorker();
  await field.ask(who);
  const waiting = async (): Promise<number> => {
    const keys = who.map(({ userKey }) => userKey);
    const { rowCount } = await field.stack.pool.query(`select 1 from approvals where user_key = any ($1)`, [keys]);
    return rowCount ?? 0;
  };
  await eventually(waiting, (count) => count === who.length, 180_000);
  await field.settle(who);
  await field.killWorker();
  await field.startWorker();
}

/** Everything that was recorded is sealed, in an unbroken chain. */
async function isAuditWhole(): Promise<boolean> {
  const { rows } = await field.stack.pool.query<{ count: string }>('select count(*) from audit_events');
  const verify = openTerminal({ DATABASE_URL: field.stack.databaseUrl, ...field.stack.wiring.audit });
  const { code, out } = await verify('audit', 'verify');
  return code === 0 && out.includes(`${rows[0]?.count} events in order`);
}

async function statusOf({ userKey }: Deployer): Promise<string> {
  const { rows } = await field.stack.pool.query<{ status: string }>(
    'select status from actions where user_key = $1 and tool = $2',
    [userKey, 'trigger_deploy'],
  );
  return rows[0]?.status ?? 'none';
}

/** What is not as it should be with the action of somebody whose worker died when it was `killed`. */
async function problemsOf(way: Way, who: Deployer, killed: string): Promise<readonly string[]> {
  const { rows } = await field.stack.pool.query<{ action_id: string; status: string; approval: string | null }>(
    `select a.action_id, a.status, p.status as approval from actions a left join approvals p on p.action_id = a.action_id
      where a.user_key = $1 and a.tool = 'trigger_deploy'`,
    [who.userKey],
  );
  const [action, ...others] = rows;
  if (!action || others.length > 0) return [`there are ${rows.length} actions`];
  const changes = field.target.effects.filter(({ what }) => what.startsWith(`${who.project} `));
  const probes = field.target.probes.filter((key) => key === action.action_id).length;
  const said = (await who.person.heard()).map(({ text }) => text).join('\n');
  // A change whose intent was there and whose end was not: the target says, or nobody can.
  const isLost = killed === 'started' && !way.hasProbe;
  const expected = isLost ? 'unknown' : 'done';
  const wrong: string[] = [];
  if (action.status !== expected) wrong.push(`it was ${killed} and is ${action.status}`);
  if (changes.length > 1) wrong.push(`${changes.length} changes`);
  if (action.status === 'done' && changes.length !== 1) wrong.push('it is called done and did not happen');
  if (changes.some(({ key }) => key !== action.action_id)) wrong.push('the change has another key');
  if (killed === 'started' && way.hasProbe !== probes > 0) wrong.push(`it was looked up ${probes} times`);
  if (way.risk === 'dangerous' && action.approval !== 'consumed') wrong.push(`the approval is ${action.approval}`);
  const isToldDone = said.includes(`Deployed ${who.project} 1.4.2 to staging`);
  const isToldUnknown = /cannot tell whether it took effect/.test(said);
  if (isToldDone === isLost || isToldUnknown !== isLost) wrong.push(`they were told: ${said}`);
  return wrong;
}

/** What is still under way once everything has been sent. */
async function leftOver(): Promise<unknown> {
  const look = async (): Promise<{ readonly unsent: number } | undefined> => {
    const { rows } = await field.stack.pool.query<{ unsent: number }>(
      `select (select count(*)::int from lanes where worker is not null) as held,
              (select count(*)::int from inbox where outcome is null) as open,
              (select count(*)::int from actions where status = 'started') as started,
              (select count(*)::int from outbox where status in ('pending', 'sending')) as unsent,
              (select count(*)::int from dead_letters) as letters`,
    );
    return rows[0];
  };
  return eventually(look, (left) => left?.unsent === 0, 30_000);
}

function nameOf(boundary: Boundary | null): string {
  if (!boundary) return 'nowhere';
  if (boundary.at === 'effect') return `${boundary.side} the change`;
  return `${boundary.side} “${boundary.text.replace(/\s+/g, ' ').trim().slice(0, 70)}” no. ${boundary.nth}`;
}
