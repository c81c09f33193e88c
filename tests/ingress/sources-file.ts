import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Writes a file of sources and answers where it is. */
export function writeSources(sources: unknown): string {
  const path = join(makeTemporaryFolder('ingress'), 'sources.json');
  writeFileSync(path, typeof sources === 'string' ? sources : JSON.stringify(sources));
  return path;
}
