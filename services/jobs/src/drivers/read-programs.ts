import { readFileSync } from 'node:fs';

/** Shell programs are not compiled, so src and dist read them from the same folder. */
const FOLDER = new URL('../../programs/', import.meta.url);

/** Reads shell programs and joins their texts. They run on servers without our code. */
export function readPrograms(...names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(name, FOLDER), 'utf8')).join('');
}
