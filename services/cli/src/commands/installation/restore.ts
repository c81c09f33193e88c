import { AppError } from '@signalbox/contracts/errors';
import { loadPlugins, listTables } from '@signalbox/plugins/load-plugins';
import { loadDatabase, requireUnused, type StoredPart } from '@signalbox/store/backup/load-database';
import { openCopy } from '@signalbox/store/backup/restored-copy';
import { listMigrations, MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createCheckpointTables } from '@signalbox/worker/checkpoints/set-up';
import { recordChange } from '../../actor.ts';
import { readArchive, readBackupKey, type BackupHeader } from '../../backup/archive.ts';
import { clearPlaces, listPlaces, requireFree, writePart, type BackupPlace } from '../../backup/places.ts';
import { decodeRecords, type BackupRecord } from '../../backup/records.ts';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { requireUrl } from '../../config.ts';
import { formatCount } from '../../table.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * `restore <file> --key <file>`: restores a backup into an empty database and free folders; the copy is not served until
 * `restore --activate`. With `--verify` the backup is only read through. A restore that fails leaves the database as it was.
 */
export async function runRestore(context: CommandContext): Promise<CommandResult> {
  const { words, key: keyFile, activate, verify } = context.arguments;
  const [file, ...more] = words;
  if (activate && !verify && file === undefined) return activateRestored(context);
  if (activate || file === undefined || keyFile === undefined || more.length > 0) throw new UsageError();
  const key = await readBackupKey(keyFile);
  // Ctrl-C ends the reading, so that what was restored until then is removed. A second one ends the process.
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    const { header, bytes } = await readArchive(file, key, interruption.signal);
    const records = decodeRecords(bytes);
    return await (verify ? verifyBackup(header, records) : restore(context, header, records));
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

async function verifyBackup(header: BackupHeader, records: AsyncIterable<BackupRecord>): Promise<CommandResult> {
  let size = 0;
  let tables = 0;
  let files = 0;
  for await (const { head, body } of records) {
    if (head.kind === 'table') tables += 1;
    if (head.kind === 'file') files += 1;
    for await (const piece of body) size += piece.length;
  }
  const line = `Whole: ${tables} tables and ${files} files of ${header.at}, release ${header.release}, ${(size / 1e6).toFixed(1)} MB when restored.`;
  return { ok: true, data: { ...header, tables, files, size }, lines: [line] };
}

async function restore(
  context: CommandContext,
  header: BackupHeader,
  records: AsyncGenerator<BackupRecord>,
): Promise<CommandResult> {
  const { config } = context;
  const url = requireUrl(config, 'DATABASE_URL');
  const places = listPlaces(config);
  await requireUnused(url);
  await requireFree(places);
  const first = await records.next();
  if (first.done || first.value.head.kind !== 'database')
    throw new AppError('BACKUP_UNREADABLE', { detail: 'it does not begin with the database' });
  await prepareDatabase(context, url, first.value.head.migrations);
  try {
    await loadDatabase(url, header.at, takeParts(records, places));
  } catch (error) {
    await clearPlaces(places);
    throw error instanceof AppError
      ? error
      : new AppError('RESTORE_STOPPED', { detail: error instanceof Error ? error.message : String(error) }, error);
  }
  await migrate(url, MIGRATIONS_FOLDER, listTables(await loadPlugins(config.AGENTS)));
  const lines = [
    `Restored the backup of ${header.at}, made by release ${header.release}.`,
    'Nothing works in the copy yet. When the original is stopped for good: npm run signalbox -- restore --activate',
  ];
  return { ok: true, data: header, lines };
}

/** Gives the database the tables that the backup was made from. Throws DATABASE_NEWER for a backup of a newer release. */
async function prepareDatabase(
  { config, log }: CommandContext,
  url: string,
  migrations: readonly string[],
): Promise<void> {
  const known = await listMigrations(MIGRATIONS_FOLDER);
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new AppError('DATABASE_NEWER', { names: unknown.join(', ') });
  await migrate(url, MIGRATIONS_FOLDER, listTables(await loadPlugins(config.AGENTS)), migrations.at(-1));
  const owner = openPool(url, log, { name: 'restore', max: 2, as: 'owner' });
  try {
    await createCheckpointTables(owner);
  } finally {
    await owner.end();
  }
}

/** Hands the rows on, and puts the files into their places. */
async function* takeParts(
  records: AsyncIterable<BackupRecord>,
  places: readonly BackupPlace[],
): AsyncGenerator<StoredPart> {
  for await (const { head, body } of records) {
    if (head.kind === 'table') yield { table: head, rows: body };
    else if (head.kind === 'sequences') yield head;
    else if ('path' in head) await writePart(places, head, body);
  }
}

async function activateRestored({ config, log, actor }: CommandContext): Promise<CommandResult> {
  const owner: Pool = openPool(requireUrl(config, 'DATABASE_URL'), log, { name: 'restore', max: 2, as: 'owner' });
  try {
    const ended = await openCopy(owner, (db, { requests, runs, messages }) =>
      recordChange(db, actor, 'database.activated', { requests, runs, messages }),
    );
    if (ended === null)
      return { ok: true, data: null, lines: ['This database is no restored copy, or was activated before.'] };
    const lines = [
      'The copy is active. Start the services.',
      `  ${formatCount(ended.requests, 'request')} ended: their people ask again`,
      `  ${formatCount(ended.runs, 'job')} cancelled: their people are told`,
      `  ${formatCount(ended.messages, 'message')} without an answer: they are answered when a worker runs`,
    ];
    return { ok: true, data: ended, lines };
  } finally {
    await owner.end();
  }
}
