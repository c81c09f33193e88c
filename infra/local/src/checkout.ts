import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the root folder of this checkout, without symbolic links. */
export function getCheckoutPath(): string {
  return realpathSync(fileURLToPath(new URL('../../../', import.meta.url)));
}

/** Returns node's arguments for a program such as `services/worker/src/main.ts`, compiled or with a loader, like this process. */
export function buildProgramArgs(source: string): readonly string[] {
  if (import.meta.url.endsWith('.ts'))
    return ['--conditions=source', '--import', 'tsx', join(getCheckoutPath(), source)];
  return [join(getCheckoutPath(), source.replace('/src/', '/dist/').replace(/ts$/, 'js'))];
}

/** Hashes a path to 16 hexadecimal digits, short enough for a folder name. */
export function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}
