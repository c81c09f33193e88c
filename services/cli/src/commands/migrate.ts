import { checkDatabase } from '@signalbox/store/database-check';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool } from '@signalbox/store/pool';
import { setServicePasswords } from '@signalbox/store/migrations/service-logins';
import { setRedisUsers } from '@signalbox/platform/redis-users';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { setUpCheckpoints } from '@signalbox/worker/checkpoints/set-up';
import { recordChange } from '../actor.ts';
import { requireUrl } from '../config.ts';
import type { CommandContext, Report } from '../command.ts';
import { countOf } from '../table.ts';

/**
 * Brings the database up to date, with the tables of conversations' states, so that nothing else has to run as the owner. Twice is
 * safe, also at once from several processes. Services whose password is given can log in with it, here and at Redis. Throws
 * MIGRATION_FAILED, and what keeps the database from being used.
 */
export async function runMigrate({ config, log, actor }: CommandContext): Promise<Report> {
  const url = requireUrl(config, 'DATABASE_URL');
  const problem = await checkDatabase(url, 'owner');
  if (problem !== null) throw problem;
  const applied = await migrate(url);
  const owner = openPool(url, log, { name: 'migrate', max: 2, as: 'owner' });
  try {
    await setUpCheckpoints(owner);
    await setServicePasswords(url, {
      gateway: config.DATABASE_PASSWORD_GATEWAY,
      worker: config.DATABASE_PASSWORD_WORKER,
      maintenance: config.DATABASE_PASSWORD_MAINTENANCE,
      agents: config.DATABASE_PASSWORD_AGENTS,
      deploy: config.DATABASE_PASSWORD_DEPLOY,
    });
    if (applied.length > 0) await recordChange(owner, actor, 'database.migrated', { applied: [...applied] });
  } finally {
    await owner.end();
  }
  await makeRedisUsers({ config, log });
  const first =
    applied.length === 0 ? 'The database is up to date.' : `Applied ${countOf(applied.length, 'migration')}:`;
  return { ok: true, data: { applied }, lines: [first, ...applied.map((name) => `  ${name}`)] };
}

async function makeRedisUsers({ config, log }: Pick<CommandContext, 'config' | 'log'>): Promise<void> {
  const passwords = {
    gateway: config.REDIS_PASSWORD_GATEWAY,
    worker: config.REDIS_PASSWORD_WORKER,
    maintenance: config.REDIS_PASSWORD_MAINTENANCE,
    agents: config.REDIS_PASSWORD_AGENTS,
    deploy: config.REDIS_PASSWORD_DEPLOY,
  };
  if (Object.values(passwords).every((password) => password === undefined)) return;
  const redis = openRedis(requireUrl(config, 'REDIS_URL'), log);
  try {
    await setRedisUsers(redis, passwords, config.REDIS_PREFIX);
  } finally {
    await closeRedis(redis);
  }
}
