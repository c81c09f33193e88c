import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readMigrationStatus } from '@signalbox/store/migrations/migration-status';
import pg from 'pg';
import { z } from 'zod';
import { buildProgramArgs, getCheckoutPath } from '../checkout.ts';
import { getInheritedEnvironment } from '../config.ts';
import { SetupError } from '../setup-error.ts';

const BackupResult = z.object({ file: z.string(), bytes: z.number() });
/** As long as the migrations themselves may take. */
const BACKUP_TIMEOUT_MS = 30 * 60_000;

interface BackupOptions {
  readonly dataDir: string;
  readonly agents: string;
  readonly kept: number;
  /** Prints a line at once. */
  print(line: string): void;
}

/**
 * Backs an existing installation up before this release migrates its database, and keeps the newest `kept` of these backups. Returns a
 * line for the terminal; null when nothing is to be migrated, or the database is new or of before version 0.2, which `migrate` copies
 * itself. Throws SetupError; then nothing was migrated.
 */
export async function makeBackupBeforeMigrations(
  databaseUrl: string,
  { dataDir, agents, kept, print }: BackupOptions,
): Promise<string | null> {
  const pending = await countPending(databaseUrl);
  if (pending === 0) return null;
  if (kept === 0) return `no backup before ${pending} migrations: UPGRADE_BACKUPS is 0`;
  const folder = join(dataDir, 'backups', 'before-upgrade');
  print(`making a backup before ${pending} migrations: with large deployed programs this takes minutes`);
  const { file, bytes } = await makeBackup(databaseUrl, { dataDir, agents, folder });
  const old = listBackups(folder).slice(0, -kept);
  for (const name of old) rmSync(join(folder, name));
  return `backup before ${pending} migrations: ${file} (${(bytes / 1e6).toFixed(1)} MB; the newest ${kept} are kept)`;
}

/** Counts the migrations that wait in a database of 0.2 or later; 0 for others, and for one of a newer release. */
async function countPending(databaseUrl: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const { applied, pending, unknown } = await readMigrationStatus(pool);
    return applied.length === 0 || unknown.length > 0 ? 0 : pending.length;
  } finally {
    await pool.end();
  }
}

async function makeBackup(
  databaseUrl: string,
  { dataDir, agents, folder }: { readonly dataDir: string; readonly agents: string; readonly folder: string },
): Promise<z.output<typeof BackupResult>> {
  const args = [
    ...buildProgramArgs('services/cli/src/main.ts'),
    'backup',
    folder,
    '--key',
    prepareKey(dataDir),
    '--json',
  ];
  const { PATH, HOME } = getInheritedEnvironment();
  const env = { PATH, HOME, DATABASE_URL: databaseUrl, SIGNALBOX_DATA_DIR: dataDir, AGENTS: agents };
  const options = { cwd: getCheckoutPath(), env, timeout: BACKUP_TIMEOUT_MS, encoding: 'utf8' } as const;
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout }) => BackupResult.parse(JSON.parse(stdout)),
    (cause: unknown) => {
      const { stdout = '', stderr = '' } = cause as { readonly stdout?: string; readonly stderr?: string }; // of execFile
      throw new SetupError('There is no backup from before this update, so nothing was migrated.', {
        output: `${stdout}${stderr}`,
        remedy: 'Mend what it says, then start again. UPGRADE_BACKUPS=0 goes on without a backup.',
        cause,
      });
    },
  );
}

/** Returns the file of the key, made once. It protects a backup that is copied away without the data folder. */
function prepareKey(dataDir: string): string {
  mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'keys', 'backup.key');
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  return file;
}

/** Lists finished backups, oldest first: their names hold the time. */
function listBackups(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => /^signalbox-\d{8}T\d{6}Z\.backup$/.test(name))
    .toSorted();
}
