import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Contents of files by internal name. */
export interface FileBytes {
  /** Writes synchronously. */
  readonly put: (name: string, bytes: Buffer) => void;
  /** Null when the contents are no longer stored. */
  readonly get: (name: string) => Buffer | null;
}

/** Memory limit, beyond which the oldest files are removed. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

/** Stores files in `files/` of the folder, or in memory without one. */
export function createFileBytes(dataDir: string | undefined): FileBytes {
  if (dataDir === undefined) return createMemory();
  const folder = join(dataDir, 'files');
  return {
    put: (name, bytes) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700); // one that an earlier release made
      writeFileSync(join(folder, name), bytes, { mode: 0o600 });
    },
    get: (name) => {
      try {
        return readFileSync(join(folder, name));
      } catch (error) {
        // A deleted file counts as expired.
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

function createMemory(): FileBytes {
  const files = new Map<string, Buffer>();
  let sizeBytes = 0;
  return {
    put: (name, bytes) => {
      files.set(name, bytes);
      sizeBytes += bytes.length;
      for (const [oldest, old] of files) {
        if (sizeBytes <= MAX_MEMORY_BYTES) return;
        files.delete(oldest);
        sizeBytes -= old.length;
      }
    },
    get: (name) => files.get(name) ?? null,
  };
}
