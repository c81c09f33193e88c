import { createHash } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { SnapshotContent } from '@signalbox/contracts/repository/snapshot';
import { AppError } from '@signalbox/contracts/errors';
import { toMadeValue } from '@signalbox/contracts/governance/field-key';
import { parseJson } from '@signalbox/contracts/system-error';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, listRows, listValues, sql, readRow } from '../sql.ts';
import { auditDecision, recordDecision, type FindingDecision } from './findings.ts';
import { matchesChecksum } from './registry.ts';

/** A saved state of the findings and decisions of a project. */
export interface Snapshot {
  readonly snapshotId: string;
  readonly project: string;
  readonly reason: string;
  readonly findings: number;
  readonly checksum: string;
  readonly userKey: string;
  readonly madeAt: Date;
}

/** Requester and reason of a snapshot; the action id makes the request idempotent. */
export type SnapshotRequest = Omit<FindingDecision, 'findingId'>;

const COLUMNS = sql`snapshot_id::text as "snapshotId", project, reason, findings, checksum, user_key as "userKey", made_at as "madeAt"`;

/** Creates access to snapshots of a project: its findings, decisions and entities. */
export function createSnapshotStore(pool: Pool) {
  return {
    /** Saves the current state as a snapshot. Idempotent by action. */
    make: (request: SnapshotRequest): Promise<Snapshot> => withTransaction(pool, (db) => makeWithin(db, request)),

    list: (project: string, limit: number): Promise<readonly Snapshot[]> =>
      listRows<Snapshot>(pool)`
        select ${COLUMNS} from repository_snapshots where project = ${project} order by snapshot_id desc limit ${limit}`,

    /** Finds the snapshot that this action made; null when it made none. */
    madeBy: (actionId: string): Promise<Snapshot | null> => findMadeBy(pool, actionId),

    /** Checks a snapshot. Throws NOT_FOUND, SNAPSHOT_BROKEN. */
    check: async (project: string, snapshotId: string): Promise<Snapshot> =>
      (await readWhole(pool, project, snapshotId)).snapshot,

    /**
     * Restores a snapshot, after saving the current state as another one. Idempotent by action. Throws NOT_FOUND, and SNAPSHOT_BROKEN
     * with nothing changed.
     */
    restore: (snapshotId: string, request: SnapshotRequest) =>
      withTransaction(pool, async (db) => {
        const { project, actionId } = request;
        await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`findings:${project}`}, 0))`);
        const { snapshot, content } = await readWhole(db, project, snapshotId);
        const done = await findValue<boolean>(db, false)`
          select true from repository_decisions where action_id = ${actionId} and kind = 'restore'`;
        const saved = await makeWithin(db, { ...request, reason: `before ${snapshotId} was restored` });
        if (done) return { restored: snapshot, saved };
        await db.query(sql`delete from repository_findings where project = ${project}`);
        await db.query(sql`
          insert into repository_findings overriding system value
            select * from jsonb_populate_recordset(null::repository_findings, ${JSON.stringify(content.findings)}::jsonb)`);
        await db.query(sql`delete from registry_entities where project = ${project}`);
        await db.query(sql`
          insert into registry_entities
            select * from jsonb_populate_recordset(null::registry_entities, ${JSON.stringify(content.entities)}::jsonb)`);
        await recordDecision(db, 'restore', { ...request, about: snapshotId, until: null });
        await auditDecision(db, 'registry.restored', request, {
          project,
          snapshot: snapshotId,
          checksum: snapshot.checksum,
          findings: content.findings.length,
          saved: saved.snapshotId,
        });
        return { restored: snapshot, saved };
      }),
  };
}

function findMadeBy(db: Queryable, actionId: string): Promise<Snapshot | null> {
  return findRow<Snapshot>(db)`select ${COLUMNS} from repository_snapshots where action_id = ${actionId}`;
}

async function makeWithin(db: Queryable, request: SnapshotRequest): Promise<Snapshot> {
  const { project, reason, userKey, actionId } = request;
  const known = await findMadeBy(db, actionId);
  if (known) return known;
  const findings = await listValues<unknown>(db)`
    select to_jsonb(f) as row from repository_findings f where project = ${project} order by finding_id`;
  const entities = await listValues<unknown>(db)`
    select to_jsonb(e) as row from registry_entities e where project = ${project} order by entity_type, entity_id`;
  const content = deflateSync(JSON.stringify({ format: 1, project, findings, entities }));
  const made = await readRow<Snapshot>(db)`
    insert into repository_snapshots (project, action_id, reason, findings, content, checksum, user_key)
      values (${project}, ${actionId}, ${reason}, ${findings.length}, ${content}, ${checksumOf(content)}, ${userKey}) returning ${COLUMNS}`;
  await recordDecision(db, 'snapshot', { ...request, about: made.snapshotId, until: null });
  const data = { project, snapshot: made.snapshotId, checksum: made.checksum, findings: findings.length, reason };
  await auditDecision(db, 'registry.snapshot_made', request, data);
  return made;
}

async function readWhole(db: Queryable, project: string, snapshotId: string) {
  const id = /^\d{1,18}$/.test(snapshotId) ? snapshotId : null;
  const row = await findRow<Snapshot & { content: Buffer }>(db)`
    select ${COLUMNS}, content from repository_snapshots where project = ${project} and snapshot_id = ${id}::bigint`;
  if (!row) {
    const known = await listValues<string>(db)`
      select snapshot_id::text as id from repository_snapshots where project = ${project} order by snapshot_id desc limit 10`;
    const values = { kind: 'snapshot', name: snapshotId, known: known.join(', ') || 'none' };
    const offers = known.map((one) => toMadeValue('snapshot', one));
    throw new AppError('NOT_FOUND', values, undefined, offers);
  }
  const { content: bytes, ...snapshot } = row;
  const broken = (detail: string): AppError => new AppError('SNAPSHOT_BROKEN', { snapshot: snapshotId, detail });
  if (checksumOf(bytes) !== snapshot.checksum) throw broken('its checksum is another one');
  const content = SnapshotContent.safeParse(parseJson(inflateSync(bytes).toString('utf8')));
  if (!content.success) throw broken('it cannot be read');
  if (content.data.project !== project) throw broken(`it is of ${content.data.project}`);
  if (!content.data.entities.every(matchesChecksum)) throw broken('an entity in it does not fit its checksum');
  return { snapshot, content: content.data };
}

function checksumOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
