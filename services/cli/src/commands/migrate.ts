import { migrate } from '@signalbox/shared/db/migrate';
import { requireUrl } from '../config.ts';
import type { CommandContext, Report } from '../command.ts';
import { countOf } from '../table.ts';

/** Brings the database up to date. Twice is safe, also at once from several processes. Throws MIGRATION_FAILED. */
export async function runMigrate({ config }: CommandContext): Promise<Report> {
  const applied = await migrate(requireUrl(config, 'DATABASE_URL'));
  const first =
    applied.length === 0 ? 'The database is up to date.' : `Applied ${countOf(applied.length, 'migration')}:`;
  return { ok: true, data: { applied }, lines: [first, ...applied.map((name) => `  ${name}`)] };
}
