import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** What of a data folder only its owner enters: keys, what was said, signed and logged, people's files and repositories. */
const CLOSED = ['keys', 'keys/secrets', 'keys/audit', 'audit', 'logs', 'simulator', 'workspaces', 'repositories'];

/**
 * Where the keys of a run are, each in a folder of its own that only its owner may enter. Closes the folders of a data folder to others. Idempotent.
 */
export function placeKeys(dataDir: string) {
  for (const name of CLOSED) {
    const folder = join(dataDir, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
  const keys = {
    /** Opens people's secrets: for the pool `deploy`. What seals them is made of it. */
    secrets: join(dataDir, 'keys/secrets/secrets.key'),
    /** Signs the audit: for the pool `maintenance`. Its public half is beside it. */
    audit: join(dataDir, 'keys/audit/signing-key.pem'),
  };
  return keys;
}

export type KeyFiles = ReturnType<typeof placeKeys>;
