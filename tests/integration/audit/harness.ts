import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { getCheckpointFile, readCheckpointFile } from '@signalbox/safety/audit/checkpoint-file';
import { getKeyId, type AuditKeys } from '@signalbox/safety/audit/checkpoint';
import { openDatabaseHistory } from '@signalbox/cli/audit-database';
import { Sealer, type SealerOptions } from '@signalbox/jobs/audit/audit-sealer';
import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { openPool, type Pool, type Queryable } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { verifyHistory, type AuditVerdict } from '../../../infra/audit/verify.mjs';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

export interface AuditHarness {
  readonly databaseUrl: string;
  /** With all rights on the database. */
  readonly owner: Pool;
  /** As the services are connected. */
  readonly pool: Pool;
  readonly dir: string;
  readonly file: string;
  readonly key: KeyObject;
  readonly keys: AuditKeys;
  openSealer(options?: Partial<SealerOptions>): Sealer;
  /** Lets a sealer work until nothing waits. */
  sealAll(options?: Partial<SealerOptions>): Promise<void>;
  /** The verdict over the database, or what a transaction sees of it. */
  verify(db?: Queryable): Promise<AuditVerdict>;
  close(): Promise<void>;
}

const log = createLog('test', 'silent');

/** A database of its own, a folder for checkpoints and a key. */
export async function openAuditHarness(given: Promise<TestDatabase> = createDatabase()): Promise<AuditHarness> {
  const database = await given;
  const owner = openPool(database.url, log, { name: 'test', max: 4, as: 'owner' });
  const pool = openPool(database.url, log, { name: 'test', max: 10 });
  const dir = makeTemporaryFolder('audit');
  const file = getCheckpointFile(dir);
  const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
  const keys: AuditKeys = new Map([[getKeyId(key), publicKey]]);
  const openSealer = (options: Partial<SealerOptions> = {}): Sealer =>
    new Sealer({
      pool: openPool(database.url, log, { name: 'sealer', max: 1 }),
      key,
      keys,
      file,
      checkpointEvents: 100,
      checkpointMs: 0,
      log,
      ...options,
    });
  return {
    databaseUrl: database.url,
    owner,
    pool,
    dir,
    file,
    key,
    keys,
    openSealer,
    sealAll: async (options) => {
      const sealer = openSealer(options);
      try {
        // Postgres gives up the lock of one that has just closed when its connection has ended.
        await until(async () => {
          let outcome = await sealer.step();
          while (outcome === 'busy') outcome = await sealer.step();
          return outcome === 'idle';
        });
      } finally {
        await sealer.close();
      }
    },
    verify: async (db = owner) =>
      verifyHistory({ ...(await openDatabaseHistory(db)), keys, outside: () => readCheckpointFile(file) }),
    close: async () => {
      await Promise.all([owner.end(), pool.end()]);
      await database.drop();
    },
  };
}

/** The n-th event of a test, different from all others. */
export function exampleEvent(n: number): AuditEvent {
  return {
    kind: n % 3 === 0 ? 'action.decided' : 'action.settled',
    actor: n % 5 === 0 ? 'system' : String(1_000 + (n % 7)),
    threadId: `thr_${n % 11}`,
    turnId: `turn_${n % 23}`,
    actionId: `thr_${n % 11}/turn_${n % 23}/${n}`,
    approvalId: n % 4 === 0 ? `apv_${n}` : null,
    policyVersion: 'a'.repeat(64),
    data: { n, rule: 'safe-reads', sentence: 'Reading changes nothing.', arguments: { service: 'api', share: n / 7 } },
  };
}
