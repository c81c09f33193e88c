import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../../infra/postgres/', import.meta.url));

/** Lists the names of the migrations in a folder, in order. */
export async function listMigrations(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files.flatMap((file) => (file.endsWith('.sql') ? [file.replace(/\.sql$/, '')] : [])).sort();
}

/** Reads the text of each migration in a folder, by name. */
export async function readMigrationFiles(folder: string): Promise<Record<string, string>> {
  const names = await listMigrations(folder);
  const read = async (name: string): Promise<[string, string]> => [
    name,
    await readFile(join(folder, `${name}.sql`), 'utf8'),
  ];
  return Object.fromEntries(await Promise.all(names.map(read)));
}
