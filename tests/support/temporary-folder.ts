import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A new folder that the end of the run deletes. */
export function makeTemporaryFolder(name: string): string {
  const folder = join(inject('runDir'), `${name}-${randomBytes(4).toString('hex')}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}
