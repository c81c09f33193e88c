import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The contents of files, by a name that the simulator gave them. */
export interface FileBytes {
  /** Written before it returns. */
  readonly put: (name: string, bytes: Buffer) => void;
  /** Null if they were forgotten. */
  readonly get: (name: string) => Buffer | null;
}

/** In memory the oldest files go beyond this. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

/** Keeps files in `files/` of the folder, or in memory without one. */
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
        // Somebody may tidy up the folder; then the file is gone as one is at Telegram.
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
