import { readFileSync } from 'node:fs';

/** The programs are not built, so src and dist find them beside their own folder. */
const FOLDER = new URL('../../programs/', import.meta.url);

/** The texts of these programs, joined. They run on servers without our code. */
export function readPrograms(...names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(name, FOLDER), 'utf8')).join('');
}
