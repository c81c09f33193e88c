import { checkDatabase } from '@signalbox/store/database-check';
import { loadPlugins, listTables } from '@signalbox/plugins/load-plugins';
import { MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool } from '@signalbox/store/pool';
import { setServicePasswords } from '@signalbox/store/migrations/service-logins';
import { setRedisUsers } from '@signalbox/platform/redis-users';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { createCheckpointTables } from '@signalbox/worker/checkpoints/set-up';
import { recordChange } from '../../actor.ts';
import { requireUrl } from '../../config.ts';
import type { CommandContext, CommandResult } from '../../command.ts';
import { formatCount } from '../../table.ts';

/** Migrates the database and sets the services' passwords. Idempotent and safe concurrently. Throws MIGRATION_FAILED. */
export async function runMigrate({ config, log, actor }: CommandContext): Promise<CommandResult> {
  const url = requireUrl(config, 'DATABASE_URL');
  const problem = await checkDatabase(url, 'owner');
  if (problem !== null) throw problem;
  const applied = await migrate(url, MIGRATIONS_FOLDER, listTables(await loadPlugins(config.AGENTS)));
  const owner = openPool(url, log, { name: 'migrate', max: 2, as: 'owner' });
  try {
    await createCheckpointTables(owner);
    await setServicePasswords(url, readPasswords('DATABASE_PASSWORD', config));
    if (applied.length > 0) await recordChange(owner, actor, 'database.migrated', { applied: [...applied] });
  } finally {
    await owner.end();
  }
  await makeRedisUsers({ config, log });
  const first =
    applied.length === 0 ? 'The database is up to date.' : `Applied ${formatCount(applied.length, 'migration')}:`;
  return { ok: true, data: { applied }, lines: [first, ...applied.map((name) => `  ${name}`)] };
}

async function makeRedisUsers({ config, log }: Pick<CommandContext, 'config' | 'log'>): Promise<void> {
  const passwords = readPasswords('REDIS_PASSWORD', config);
  if (Object.values(passwords).every((password) => password === undefined)) return;
  const redis = openRedis(requireUrl(config, 'REDIS_URL'), log);
  try {
    await setRedisUsers(redis, passwords, config.REDIS_PREFIX);
  } finally {
    await closeRedis(redis);
  }
}

function readPasswords(variable: 'DATABASE_PASSWORD' | 'REDIS_PASSWORD', config: CommandContext['config']) {
  return {
    gateway: config[`${variable}_GATEWAY`],
    worker: config[`${variable}_WORKER`],
    maintenance: config[`${variable}_MAINTENANCE`],
    agents: config[`${variable}_AGENTS`],
    deploy: config[`${variable}_DEPLOY`],
    analysis: config[`${variable}_ANALYSIS`],
  };
}
