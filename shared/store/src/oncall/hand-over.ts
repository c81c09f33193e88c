import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { runInLanguage } from '@signalbox/messages/language';
import { sayScope } from '@signalbox/messages/schedule/say-rota';
import { sayMoment } from '@signalbox/messages/schedule/say-when';
import { say } from '@signalbox/messages/say';
import { putOutbox } from '../conversation/outbox.ts';
import { endFault, reportFault, type FaultKind } from '../faults.ts';
import { describeOpenIncident, type IncidentState } from '../incidents/incident-states.ts';
import { selectDetail, selectPlace } from '../incidents/incident-words.ts';
import { findRecipients } from '../people/recipients.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findValue, hasRow, listRows, sql } from '../sql.ts';
import { findDuty, type Duty } from './duty.ts';
import { nameOf, readRotaState, type RotaState } from './rota-states.ts';
import { chooseRota, listRotas, type Rota } from './rotas.ts';

/** How many open incidents a hand-over lists. */
const MAX_LISTED = 10;

/**
 * Tells hand-overs: whoever leaves and whoever comes get one message each, once, however many processes ask. A late one is told while the
 * turn that it begins lasts, and else left out. Admins are told once of people who are passed over. `now`: for tests; otherwise the
 * database's clock. Returns the chats to wake.
 */
export async function watchRotas(
  pool: Pool,
  now: Date | null = null,
): Promise<{ readonly told: number; readonly chats: readonly string[] }> {
  const rotas = await listRotas(pool);
  const chats: string[] = [];
  let told = 0;
  for (const rota of rotas) {
    const state = await readRotaState(pool, rota, now);
    await reportGaps(pool, state);
    const found = await handOver(pool, rotas, state);
    if (found.length > 0) told += 1;
    chats.push(...found);
  }
  await endGaps(pool, rotas, now ?? new Date());
  return { told, chats };
}

async function handOver(pool: Pool, rotas: readonly Rota[], state: RotaState): Promise<readonly string[]> {
  const { rota, duty, able } = state;
  // Who is on call by a change was told with the change.
  if (duty === null || duty.from <= rota.changedAt) return [];
  const before = findDuty(rota, new Date(duty.from.getTime() - 1), able);
  if (before === null || before.userKey === duty.userKey) return [];
  return withTransaction(pool, async (db) => {
    const isFirst = await hasRow(db)`
      insert into rota_handovers (rota, at, leaves, comes) values (${rota.name}, ${duty.from}, ${before.userKey}, ${duty.userKey})
      on conflict do nothing returning true`;
    if (!isFirst) return [];
    const recipients = await findRecipients(db, [before.userKey, duty.userKey]);
    for (const { userKey, chatKey } of recipients) {
      const language = await findValue<string>(db)`select user_language(${userKey})`;
      await runInLanguage(language, async () => {
        const incidents = await listOfTurn(db, rotas, rota, { ...before, until: duty.from });
        await putOutbox(db, [
          {
            key: `handover:${rota.name}:${duty.from.getTime()}:${userKey}`.slice(0, 200),
            chatKey,
            userKey,
            traceId: newTraceId(),
            priority: SEND_PRIORITY.reply,
            body: { text: describe(state, before.userKey, incidents), buttons: [] },
          },
        ]);
      });
    }
    return recipients.map(({ chatKey }) => chatKey);
  });
}

interface TurnIncident extends Pick<IncidentState, 'place' | 'detail' | 'openedAt' | 'times' | 'takenBy'> {
  readonly project: string | null;
  readonly isOpen: boolean;
  /** False when it began before the rota was changed, and its person was not told of it. */
  readonly isOfPerson: boolean;
}

/**
 * Incidents of a rota that began in a turn or are open now, the newest first. Before the rota was changed somebody else may have been on
 * call: of those that began then, the turn has what its person was told of.
 */
async function listOfTurn(
  db: Queryable,
  rotas: readonly Rota[],
  rota: Rota,
  { userKey, from, until }: Duty & { readonly until: Date },
): Promise<{ readonly open: readonly TurnIncident[]; readonly begun: readonly TurnIncident[] }> {
  const all = await listRows<TurnIncident>(db)`
    select ${selectDetail(sql`i`)} as detail, ${selectPlace(sql`i`)} as place, i.repeats + i.flaps + 1 as times, case when starts_with(i.subject, 'service:') then split_part(split_part(i.subject, ':', 2), '/', 1)
             else i.evidence ->> 'project' end as project,
           i.opened_at as "openedAt", i.closed_at is null as "isOpen", coalesce(u.name, i.taken_by) as "takenBy",
           i.opened_at >= ${rota.changedAt} or exists (
             select from incident_tellings t where t.incident_id = i.incident_id and t.person = person_of(${userKey})) as "isOfPerson"
      from incidents i left join users u on u.user_key = i.taken_by
     where i.words is not null and (i.closed_at is null or i.opened_at >= ${from} and i.opened_at < ${until})
     order by i.opened_at desc, i.incident_id desc limit 1000`;
  const own = all.filter(({ project }) => chooseRota(rotas, project)?.name === rota.name);
  return {
    open: own.filter(({ isOpen }) => isOpen),
    begun: own.filter(({ openedAt, isOfPerson }) => isOfPerson && openedAt >= from && openedAt < until),
  };
}

function describe(state: RotaState, leaves: string, { open, begun }: Awaited<ReturnType<typeof listOfTurn>>): string {
  const { rota, duty, now } = state;
  const lines = open.slice(0, MAX_LISTED).map((one) => describeOpenIncident(one, now));
  return [
    say('oncall.handedOver', {
      rota: rota.name,
      scope: sayScope(rota),
      leaves: nameOf(state, leaves),
      comes: nameOf(state, duty?.userKey ?? ''),
      hasUntil: duty?.until != null,
      until: duty?.until ? sayMoment(duty.until, rota.zone) : '',
      zone: rota.zone,
    }),
    say('oncall.lastTurn', {
      leaves: nameOf(state, leaves),
      opened: begun.length,
      taken: begun.filter(({ takenBy }) => takenBy !== null).length,
      open: begun.filter(({ isOpen }) => isOpen).length,
    }),
    open.length === 0 ? say('oncall.nothingOpen') : say('oncall.openNow'),
    ...lines,
    ...(open.length > MAX_LISTED ? [say('alarms.moreOpen')] : []),
  ].join('\n');
}

/** Reports people of a rota who are passed over, and ends the report of those who can be told again. */
async function reportGaps(pool: Pool, state: RotaState): Promise<void> {
  const { rota, able, now } = state;
  for (const userKey of listNamed(rota, now)) {
    if (able.has(userKey)) await endFault(pool, toFault(rota.name, userKey));
    else await reportFault(pool, toFault(rota.name, userKey), nameOf(state, userKey));
  }
}

/** Ends the reports of people who stand in no rota any more. */
async function endGaps(pool: Pool, rotas: readonly Rota[], now: Date): Promise<void> {
  const open = await listRows<{ kind: FaultKind }>(pool)`
    select kind from incidents where subject = 'signalbox' and closed_at is null and starts_with(kind, 'on-call-gap:')`;
  const known = new Set(rotas.flatMap((rota) => listNamed(rota, now).map((userKey) => toFault(rota.name, userKey))));
  for (const { kind } of open) if (!known.has(kind)) await endFault(pool, kind);
}

/** Lists whoever stands in a rota, or covers in it now or later. */
function listNamed({ people, covers }: Rota, now: Date): readonly string[] {
  return [...new Set([...people, ...covers.filter(({ until }) => until > now).map(({ userKey }) => userKey)])];
}

function toFault(rota: string, userKey: string): FaultKind {
  return `on-call-gap:${rota}/${userKey}`;
}
