import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of this checkout, without symbolic links. */
export function checkoutPath(): string {
  return realpathSync(fileURLToPath(new URL('../../../', import.meta.url)));
}

/**
 * The words by which node runs a program of the checkout, such as `services/worker/src/main.ts`, the file last: what was built of it, or its
 * source through a loader where this process was started so.
 */
export function programWords(source: string): readonly string[] {
  if (import.meta.url.endsWith('.ts')) return ['--conditions=source', '--import', 'tsx', join(checkoutPath(), source)];
  return [join(checkoutPath(), source.replace('/src/', '/dist/').replace(/ts$/, 'js'))];
}

/** Sixteen hex digits that stand for a path: short enough for a folder name, long enough not to collide. */
export function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}
