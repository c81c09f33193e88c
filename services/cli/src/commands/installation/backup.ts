import { mkdir, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openDatabaseDump, type DatabaseDump } from '@signalbox/store/backup/dump-database';
import { VERSION } from '@signalbox/platform/version';
import { recordChange } from '../../actor.ts';
import { makeBackupKey, readBackupKey, writeArchive } from '../../backup/archive.ts';
import { listPlaces, readPlaces, type BackupPlace } from '../../backup/places.ts';
import { encodeRecords, makeRecord, type BackupRecord } from '../../backup/records.ts';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { requireUrl } from '../../config.ts';

const ENDING = '.backup';

/**
 * `backup <folder>`: writes one encrypted file with the database of one moment and the files beside it. Prints a new key once, unless
 * `--key` names a file with one. A backup that was interrupted leaves nothing that looks like one.
 */
export async function runBackup(context: CommandContext): Promise<CommandResult> {
  const { config, arguments: given, actor } = context;
  const [folder, ...more] = given.words;
  if (folder === undefined || more.length > 0) throw new UsageError();
  const url = requireUrl(config, 'DATABASE_URL');
  const key = given.key === undefined ? makeBackupKey() : await readBackupKey(given.key);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const interrupted = (await readdir(folder)).filter((name) => name.endsWith(`${ENDING}.part`));
  const taken: BackupPlace[] = [];
  const missing: BackupPlace[] = [];
  // The checkpoints of the audit are read before the database, which then holds all events that they speak of.
  const places = readPlaces(listPlaces(config), (place, isThere) => void (isThere ? taken : missing).push(place));
  const dump = await openDatabaseDump(url);
  const at = dump.at.toISOString();
  const file = resolve(folder, `signalbox-${at.replaceAll(/[-:]/g, '').replace(/\..*/, 'Z')}${ENDING}`);
  try {
    const bytes = await writeArchive(file, key, { release: VERSION, at }, encodeRecords(readAll(places, dump)));
    await recordChange(context.database(), actor, 'database.backed_up', { at, bytes });
    const lines = [
      `${file}  ${(bytes / 1e6).toFixed(1)} MB, with everything until ${at}`,
      `  ${dump.tables.length} tables; ${taken.map(({ holds }) => holds).join(', ')}`,
      ...(missing.length > 0 ? [`  not in it, because it is not here: ${missing.map(describePlace).join(', ')}`] : []),
      ...interrupted.map(
        (name) => `  ${name} is no backup: it was interrupted, or still goes on. Delete it when it has ended.`,
      ),
      ...(given.key === undefined
        ? [
            '',
            `  key: ${key}`,
            '  Keep it apart from the backup. Nobody can read the backup without it, and it is not shown again.',
          ]
        : []),
    ];
    const data = {
      file,
      bytes,
      at,
      missing: missing.map(({ name }) => name),
      ...(given.key === undefined ? { key } : {}),
    };
    return { ok: true, data, lines };
  } finally {
    await dump.close();
  }
}

const describePlace = ({ holds, path }: BackupPlace): string => `${holds} (${path})`;

async function* readAll(places: AsyncIterable<BackupRecord>, dump: DatabaseDump): AsyncGenerator<BackupRecord> {
  yield makeRecord({ kind: 'database', migrations: [...dump.migrations] });
  yield* places;
  for (const table of dump.tables) yield { head: { kind: 'table', ...table }, body: dump.rows(table) };
  yield makeRecord({ kind: 'sequences', sequences: dump.sequences });
}
