import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Everything in a folder as one text: the name of each file and folder, and what the files hold. */
export function readEverything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => [name, join(folder, name)] as const)
    .map(([name, path]) => (statSync(path).isFile() ? `${name}\n${readFileSync(path, 'utf8')}` : name))
    .join('\n');
}
