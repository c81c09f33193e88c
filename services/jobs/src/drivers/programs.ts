import { readFileSync } from 'node:fs';

/** No build copies them, so both src and dist find them beside their own folder. */
const FOLDER = new URL('../../programs/', import.meta.url);

/** The texts of these programs as one, in this order. They run on servers, where nothing of ours is installed. */
export function readPrograms(...names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(name, FOLDER), 'utf8')).join('');
}
