import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';
import type { Queryable } from '../pool.ts';
import { findValue, listRows, sql, readRow } from '../sql.ts';

/** A stored link of the audit chain; `event` is null when the event was deleted. */
export interface ChainLink {
  readonly seq: number;
  readonly leafHash: Buffer;
  readonly hash: Buffer;
  readonly event: RecordedAuditEvent | null;
}

/** A stored, signed state of the audit chain. */
export interface StoredCheckpoint {
  readonly size: number;
  readonly rootHash: string;
  readonly chainHash: string;
  readonly at: string;
  readonly keyId: string;
  readonly signature: string;
}

/** Number of recorded events that are not sealed yet; `oldestMs` is the age of the oldest event. */
export interface AuditBacklog {
  readonly unsealed: number;
  readonly oldestMs: number | null;
}

/** Columns of the table alias `e` that form a RecordedAuditEvent. Times use to_jsonb, because to_char loses years before Christ. */
const EVENT = sql`e.event_id::text as "eventId", (to_jsonb(e.recorded_at at time zone 'UTC') #>> '{}') || 'Z' as "recordedAt", e.kind, e.actor,
  e.thread_id as "threadId", e.turn_id as "turnId", e.action_id as "actionId", e.approval_id as "approvalId",
  e.policy_version as "policyVersion", e.data::text as "dataJson", e.written_by as "writtenBy"`;

/** Version of the leaf format that `toEventJson` writes. The database refuses a sealer with another version. */
const LEAF_FORM = 2;

/** Reads the id of the audit history in this database. */
export function readAuditLogId(db: Queryable): Promise<string> {
  return findValue(db, '')`select log_id from audit_log`;
}

/** Reads unsealed events in the order in which they will be sealed. */
export function readUnsealed(db: Queryable, limit: number): Promise<readonly RecordedAuditEvent[]> {
  // The statement has no name, so that Postgres plans it for the current table size: a backlog begins as an empty table.
  return listRows<RecordedAuditEvent>(db)`select ${EVENT} from audit_events e
      where e.event_id = any (array(select u.event_id from audit_unsealed u order by u.event_id limit ${limit})) order by e.event_id`;
}

/**
 * Seals events from `firstSeq` on, all or none. Returns the hash of the last event; null, with nothing written, when another sealer took
 * `firstSeq` first.
 */
export function sealEvents(
  db: Queryable,
  firstSeq: number,
  events: readonly { readonly eventId: string; readonly leafHash: Buffer }[],
): Promise<Buffer | null> {
  return findValue<Buffer | null>(db, null, 'audit_seal')`
    select audit_seal(${firstSeq}, ${events.map((event) => event.eventId)}::bigint[], ${events.map((event) => event.leafHash)}::bytea[],
      ${LEAF_FORM})`;
}

/** Reads the next links of the chain after `seq`, without their events. */
export function readLinks(db: Queryable, seq: number, limit: number) {
  return listRows<Pick<ChainLink, 'seq' | 'leafHash' | 'hash'>>(db)`
    select seq::float8, leaf_hash as "leafHash", hash from audit_chain where seq > ${seq} order by seq limit ${limit}`;
}

/** Reads the next links of the chain after `seq`, with their events. */
export async function readChain(db: Queryable, seq: number, limit: number): Promise<readonly ChainLink[]> {
  type Row = RecordedAuditEvent & Omit<ChainLink, 'event'> & { eventId: string | null };
  const rows = await listRows<Row>(db)`select c.seq::float8, c.leaf_hash as "leafHash", c.hash, ${EVENT}
       from (select * from audit_chain where seq > ${seq} order by seq limit ${limit}) c left join audit_events e using (event_id)
      order by c.seq`;
  return rows.map(({ seq: place, leafHash, hash, ...event }) => ({
    seq: place,
    leafHash,
    hash,
    event: event.eventId === null ? null : event,
  }));
}

/** Reads the next checkpoints after the one of `size` events. */
export function readCheckpoints(db: Queryable, size: number, limit: number): Promise<readonly StoredCheckpoint[]> {
  return listRows<StoredCheckpoint>(db)`
    select size::float8, encode(root_hash, 'hex') as "rootHash", encode(chain_hash, 'hex') as "chainHash", signed_at as at, key_id as "keyId",
       translate(encode(signature, 'base64'), E'\\n', '') as signature
       from audit_checkpoints where size > ${size} order by size limit ${limit}`;
}

/** Stores a checkpoint. Idempotent. */
export async function storeCheckpoint(db: Queryable, checkpoint: StoredCheckpoint): Promise<void> {
  const { size, rootHash, chainHash, at, keyId, signature } = checkpoint;
  await db.query(sql`select audit_checkpoint(${size}, ${Buffer.from(rootHash, 'hex')}, ${Buffer.from(chainHash, 'hex')}, ${at}, ${keyId},
    ${Buffer.from(signature, 'base64')})`);
}

/** Counts the unsealed events, and reads the age of the oldest in milliseconds. */
export function readAuditBacklog(db: Queryable): Promise<AuditBacklog> {
  return readRow<AuditBacklog>(db)`
    select count(*)::int as unsealed, (extract(epoch from clock_timestamp() - min(e.recorded_at)) * 1000)::float8 as "oldestMs"
      from audit_unsealed u left join audit_events e using (event_id)`;
}

/**
 * Finds events, among the next `limit` after `eventId`, that are neither sealed nor queued for sealing: they bypassed `appendAudit`. The
 * next call continues at `next`, which is null at the end.
 */
export async function findStrayEvents(
  db: Queryable,
  eventId: string,
  limit: number,
): Promise<{ readonly strays: readonly string[]; readonly next: string | null }> {
  const rows = await listRows<{ id: string; stray: boolean }>(db)`
    select e.event_id::text as id, not exists (select from audit_chain c where c.event_id = e.event_id)
         and not exists (select from audit_unsealed u where u.event_id = e.event_id) as stray
       from (select event_id from audit_events where event_id > ${eventId} order by event_id limit ${limit}) e order by e.event_id`;
  const strays = rows.filter((row) => row.stray).map((row) => row.id);
  return { strays, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** Counts audit events that were deleted before they were sealed. */
export function countLost(db: Queryable): Promise<number> {
  return findValue(db, 0)`
    select count(*)::int from audit_unsealed u where not exists (select from audit_events e where e.event_id = u.event_id)`;
}
