import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';
import type { Queryable } from '../pool.ts';
import { listRows, named, sql } from '../sql.ts';

/** A place of the order, as it is stored; `event` is null when the event is gone. */
export interface AuditPlace {
  readonly seq: number;
  readonly leafHash: Buffer;
  readonly hash: Buffer;
  readonly event: RecordedAuditEvent | null;
}

/** A signed state of the order, as it is stored. */
export interface StoredCheckpoint {
  readonly size: number;
  readonly rootHash: string;
  readonly chainHash: string;
  readonly at: string;
  readonly keyId: string;
  readonly signature: string;
}

/** Events that are recorded and not yet sealed: how many, and how old the oldest is, in milliseconds. */
export interface AuditTail {
  readonly unsealed: number;
  readonly oldestMs: number | null;
}

/** The columns of `e` as a RecordedAuditEvent. Of a time all that is stored goes in: to_jsonb names the year before Christ, to_char does not. */
const EVENT = sql`e.event_id::text as "eventId", (to_jsonb(e.recorded_at at time zone 'UTC') #>> '{}') || 'Z' as "recordedAt", e.kind, e.actor,
  e.thread_id as "threadId", e.turn_id as "turnId", e.action_id as "actionId", e.approval_id as "approvalId",
  e.policy_version as "policyVersion", e.data::text as "dataJson"`;

/** Which history this database holds. */
export async function readAuditLogId(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select log_id as id from audit_log');
  return rows[0]?.id ?? '';
}

/** Recorded events without a place, in the order in which they will get theirs. */
export function readUnsealed(db: Queryable, limit: number): Promise<readonly RecordedAuditEvent[]> {
  // Without a name, so that it is planned for the size that the tables have now: a backlog begins as an empty table.
  return listRows<RecordedAuditEvent>(db)`select ${EVENT} from audit_events e
      where e.event_id = any (array(select u.event_id from audit_unsealed u order by u.event_id limit ${limit})) order by e.event_id`;
}

/**
 * Gives events the places from `firstSeq` on, all or none. Answers the hash of the last one; null when another sealer was there
 * first, and then nothing was written.
 */
export async function sealEvents(
  db: Queryable,
  firstSeq: number,
  events: readonly { readonly eventId: string; readonly leafHash: Buffer }[],
): Promise<Buffer | null> {
  const { rows } = await db.query<{ hash: Buffer | null }>(named(
    'audit_seal',
  )`select audit_seal(${firstSeq}, ${events.map((event) => event.eventId)}::bigint[],
        ${events.map((event) => event.leafHash)}::bytea[]) as hash`);
  return rows[0]?.hash ?? null;
}

/** The next places after `seq`, without their events. */
export async function readLinks(
  db: Queryable,
  seq: number,
  limit: number,
): Promise<readonly Pick<AuditPlace, 'seq' | 'leafHash' | 'hash'>[]> {
  const rows = await listRows<{ seq: string; leafHash: Buffer; hash: Buffer }>(db)`
    select seq, leaf_hash as "leafHash", hash from audit_chain where seq > ${seq} order by seq limit ${limit}`;
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

/** The next places after `seq`, with what stands there. */
export async function readPlaces(db: Queryable, seq: number, limit: number): Promise<readonly AuditPlace[]> {
  type Row = RecordedAuditEvent & { seq: string; leafHash: Buffer; hash: Buffer; eventId: string | null };
  const rows = await listRows<Row>(db)`select c.seq, c.leaf_hash as "leafHash", c.hash, ${EVENT}
       from (select * from audit_chain where seq > ${seq} order by seq limit ${limit}) c left join audit_events e using (event_id)
      order by c.seq`;
  return rows.map(({ seq: place, leafHash, hash, ...event }) => ({
    seq: Number(place),
    leafHash,
    hash,
    event: event.eventId === null ? null : event,
  }));
}

/** The next checkpoints after the one of `size` events. */
export async function readCheckpoints(
  db: Queryable,
  size: number,
  limit: number,
): Promise<readonly StoredCheckpoint[]> {
  const rows = await listRows<Omit<StoredCheckpoint, 'size'> & { size: string }>(db)`
    select size, encode(root_hash, 'hex') as "rootHash", encode(chain_hash, 'hex') as "chainHash", signed_at as at, key_id as "keyId",
       translate(encode(signature, 'base64'), E'\\n', '') as signature
       from audit_checkpoints where size > ${size} order by size limit ${limit}`;
  return rows.map((row) => ({ ...row, size: Number(row.size) }));
}

/** Stores a checkpoint. Twice is safe. */
export async function storeCheckpoint(db: Queryable, checkpoint: StoredCheckpoint): Promise<void> {
  const { size, rootHash, chainHash, at, keyId, signature } = checkpoint;
  const bytes = [Buffer.from(rootHash, 'hex'), Buffer.from(chainHash, 'hex')];
  await db.query('select audit_checkpoint($1, $2, $3, $4, $5, $6)', [
    size,
    ...bytes,
    at,
    keyId,
    Buffer.from(signature, 'base64'),
  ]);
}

/** How many events wait for their place, and for how long the oldest has, in milliseconds. */
export async function readTail(db: Queryable): Promise<AuditTail> {
  const { rows } = await db.query<AuditTail>(
    `select count(*)::int as unsealed, (extract(epoch from clock_timestamp() - min(e.recorded_at)) * 1000)::float8 as "oldestMs"
       from audit_unsealed u left join audit_events e using (event_id)`,
  );
  return rows[0] ?? { unsealed: 0, oldestMs: null };
}

/**
 * Events among the next `limit` after `eventId` that neither have a place nor wait for one: nobody records like that. `next` is
 * where to go on, null at the end.
 */
export async function findStrays(
  db: Queryable,
  eventId: string,
  limit: number,
): Promise<{ readonly strays: readonly string[]; readonly next: string | null }> {
  const { rows } = await db.query<{ id: string; stray: boolean }>(sql`
    select e.event_id::text as id, not exists (select from audit_chain c where c.event_id = e.event_id)
         and not exists (select from audit_unsealed u where u.event_id = e.event_id) as stray
       from (select event_id from audit_events where event_id > ${eventId} order by event_id limit ${limit}) e order by e.event_id`);
  const strays = rows.filter((row) => row.stray).map((row) => row.id);
  return { strays, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** Counts events that were written and deleted again before the sealer gave them a place in the chain. */
export async function countLost(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'select count(*)::int as n from audit_unsealed u where not exists (select from audit_events e where e.event_id = u.event_id)',
  );
  return rows[0]?.n ?? 0;
}
