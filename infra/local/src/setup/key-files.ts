import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of a data folder for its owner only: keys, conversations, audit, logs, files and repositories. */
const PRIVATE_FOLDERS = [
  'keys',
  'keys/secrets',
  'keys/audit',
  'audit',
  'logs',
  'simulator',
  'workspaces',
  'repositories',
];

/** Returns the key files of a run, each in its own private folder, and makes the folders above private. Idempotent. */
export function placeKeys(dataDir: string) {
  for (const name of PRIVATE_FOLDERS) {
    const folder = join(dataDir, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
  return {
    /** Decrypts people's secrets, for the pool `deploy`. The sealing key is derived from it. */
    secrets: join(dataDir, 'keys/secrets/secrets.key'),
    /** Signs the audit, for the pool `maintenance`. Its public key is beside it. */
    audit: join(dataDir, 'keys/audit/signing-key.pem'),
  };
}

export type KeyFiles = ReturnType<typeof placeKeys>;
