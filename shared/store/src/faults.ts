import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { redactText } from '@signalbox/safety/redact/redact';
import { putLocalized } from './conversation/outbox.ts';
import { markNotified } from './deploy/incident-news.ts';
import { findRecipients, listAdmins } from './people/recipients.ts';
import { withTransaction, type Pool, type Queryable } from './pool.ts';
import { MAX_FAULT_LENGTH, FAULT_SUBJECT, type FAULT_SERVICES } from './migrations/fault-rows.ts';
import { findRow, hasRow, listRows, sql } from './sql.ts';

/**
 * Faults of Signalbox itself, with the sentences that admins read at their start and end. A new fault needs an entry in fault-rows.ts (with
 * the service that detects it), an entry here, and two sentences in `faults.json` of each language. The service calls `reportFault` and
 * `endFault`; the pool `maintenance` notifies the admins; `/readyz` and `doctor` show the fault.
 */
const FAULTS: Readonly<
  Record<
    keyof typeof FAULT_SERVICES,
    readonly [opens: (detail: string, what: string) => string, ends: (what: string, detail: string) => string]
  >
> = {
  'redis-full': [(detail) => say('faults.redisFull', { detail }), () => say('faults.redisFullOver')],
  'redis-away': [(detail) => say('faults.redisAway', { detail }), () => say('faults.redisAwayOver')],
  'audit-unwritten': [(detail) => say('faults.auditUnwritten', { detail }), () => say('faults.auditUnwrittenOver')],
  'disk-filling': [(detail) => say('faults.diskFilling', { detail }), () => say('faults.diskFillingOver')],
  'channel-refused': [
    (detail) => say('faults.channelRefused', { detail }),
    (channel) => say('faults.channelRefusedOver', { channel }),
  ],
  'on-call-gap': [
    (detail, what) => say('faults.onCallGap', { name: toPlainName(detail), rota: toRotaName(what) }),
    (what, detail) => say('faults.onCallGapOver', { name: toPlainName(detail), rota: toRotaName(what) }),
  ],
};
/** Name of a fault; after a colon follows what it is about, where there may be several at once. */
export type FaultKind =
  | Exclude<keyof typeof FAULTS, 'channel-refused' | 'on-call-gap'>
  | `channel-refused:${string}`
  | `on-call-gap:${string}/${string}`;

/** A fault that lasts, or news that no recipient could get. */
export interface OpenFault {
  readonly hasNoRecipient: boolean;
  /** English sentence about the fault, for operators. */
  readonly say: string;
}

/** Time during which another pool may deliver its news; after that, the pool `maintenance` sends it to the admins. */
const UNHEARD_MS = 45 * SECOND_MS;
/** A fault that returns within this time after its end counts as the same fault, and is not reported again. */
const OVER_MS = 2 * MINUTE_MS;
const BATCH = 20;

/** Reports a fault. The admins are notified once while the fault lasts, however often this is called. */
export async function reportFault(db: Queryable, kind: FaultKind, detail: string): Promise<void> {
  const isBack = await hasRow(db)`
    update incidents set closed_at = null, waits_since = case when told is null then waits_since end
     where subject = ${FAULT_SUBJECT} and kind = ${kind} and closed_at > clock_timestamp() - ${OVER_MS} * interval '1 ms'
       and not exists (select from incidents o where o.subject = ${FAULT_SUBJECT} and o.kind = ${kind} and o.closed_at is null)`;
  if (isBack) return;
  await db.query(sql`insert into incidents (subject, kind, detail, evidence, waits_since)
    values (${FAULT_SUBJECT}, ${kind}, ${clip(redactText(detail))}, '{}', clock_timestamp())
    on conflict (subject, kind) where closed_at is null do nothing`);
}

/** Ends a fault, and notifies the admins who were notified of its start. Idempotent. */
export async function endFault(db: Queryable, kind: FaultKind): Promise<void> {
  await db.query(sql`update incidents set closed_at = clock_timestamp(),
      waits_since = case when told is not null then clock_timestamp() end
    where subject = ${FAULT_SUBJECT} and kind = ${kind} and closed_at is null`);
}

/** Lists the faults that last, oldest first, for `/readyz` and `doctor`. */
export async function listFaults(db: Queryable): Promise<readonly OpenFault[]> {
  const rows = await listRows<{ subject: string; kind: string; detail: string; since: Date; isOurs: boolean }>(db)`
    select subject, kind, detail, subject = ${FAULT_SUBJECT} as "isOurs", coalesce(waits_since, opened_at) as since from incidents
     where subject = ${FAULT_SUBJECT} and closed_at is null
        or news is not null and waits_since < clock_timestamp() - ${5 * SECOND_MS} * interval '1 ms'
     order by 5 limit ${BATCH}`;
  return rows.map(({ subject, kind, detail, since, isOurs }) => ({
    hasNoRecipient: !isOurs,
    say: isOurs ? `${kind}: ${detail}` : `nobody could be told of ${subject} (${kind}) since ${since.toISOString()}`,
  }));
}

/**
 * Notifies every admin in private, once and in their language, of faults, of the end of faults, and of news that another pool could send
 * to nobody. Returns the chats to wake, and the number of items that wait because no admin can be reached.
 */
export async function notifyAdmins(
  pool: Pool,
): Promise<{ readonly chats: readonly string[]; readonly waiting: number }> {
  const due = await listRows<{ incidentId: string }>(pool)`
    select incident_id::text as "incidentId" from incidents where ${DUE} order by waits_since limit ${BATCH}`;
  const chats = new Set<string>();
  let waiting = 0;
  for (const { incidentId } of due) {
    const told = await withTransaction(pool, (db) => notifyOne(db, incidentId));
    if (told?.length === 0) waiting += 1;
    for (const chatKey of told ?? []) chats.add(chatKey);
  }
  return { chats: [...chats], waiting };
}

const DUE = sql`waits_since is not null and case
  when news is not null then waits_since < clock_timestamp() - ${UNHEARD_MS} * interval '1 ms'
  when not (subject = ${FAULT_SUBJECT} and split_part(kind, ':', 1) = any (${Object.keys(FAULTS)})) then false
  else closed_at is null or closed_at < clock_timestamp() - ${OVER_MS} * interval '1 ms' end`;

interface DueNews {
  readonly kind: string;
  readonly detail: string;
  readonly isOver: boolean;
  /** News that another pool could send to nobody; null for a fault. */
  readonly say: string | null;
  readonly concerned: readonly string[];
}

/** Notifies the admins of one fault; null when another process has notified them meanwhile. */
async function notifyOne(db: Queryable, incidentId: string): Promise<readonly string[] | null> {
  const row = await findRow<DueNews>(db)`
    select kind, detail, closed_at is not null as "isOver", news ->> 'say' as say,
      coalesce(news -> 'recipients', '[]') as concerned from incidents
     where incident_id = ${incidentId}::bigint and ${DUE} for update skip locked`;
  if (!row) return null;
  const admins = (await findRecipients(db, await listAdmins(db))).filter(({ isPrivate }) => isPrivate);
  const [first] = admins;
  if (!first) return [];
  const { kind, detail, isOver, say: unheard } = row;
  const concerned = new Set((await findRecipients(db, row.concerned)).map(({ userKey }) => userKey));
  const isAdminConcerned = admins.some(({ userKey }) => concerned.has(userKey));
  const describe = (): string => {
    if (unheard !== null) return isAdminConcerned ? unheard : `${say('faults.nobodyTold')}\n\n${unheard}`;
    const [known = '', what = ''] = kind.split(/:(.*)/s);
    if (!isKnown(known)) throw new Error(`${kind} is no fault of ours`);
    const [opens, ends] = FAULTS[known];
    return isOver ? ends(what, detail) : opens(detail, what);
  };
  const traceId = newTraceId();
  await putLocalized(
    db,
    admins.map(({ chatKey }) => chatKey),
    (chatKey) => ({
      key: `fault:${incidentId}:${isOver && unheard === null ? 'over' : 'open'}:${chatKey}`,
      chatKey,
      traceId,
      priority: SEND_PRIORITY.control,
      body: { text: describe(), buttons: [] },
    }),
  );
  await markNotified(db, incidentId, first);
  return admins.map(({ chatKey }) => chatKey);
}

/** The rota of `night/1002`. */
function toRotaName(what: string): string {
  return what.split('/')[0] ?? '';
}

function clip(detail: string): string {
  return detail.length <= MAX_FAULT_LENGTH ? detail : `${detail.slice(0, MAX_FAULT_LENGTH - 1)}…`;
}

function isKnown(kind: string): kind is keyof typeof FAULTS {
  return Object.hasOwn(FAULTS, kind);
}
