import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root folder of this checkout, without symbolic links. */
export function checkoutPath(): string {
  return realpathSync(fileURLToPath(new URL('../../../../', import.meta.url)));
}

/** Sixteen hex digits that stand for a path: short enough for a folder name, long enough not to collide. */
export function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}
