import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that only the owner of the data folder may read. */
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

/** Creates the private folders of a data folder and returns the paths of its key files. Idempotent. */
export function prepareKeyFiles(dataDir: string) {
  for (const name of PRIVATE_FOLDERS) {
    const folder = join(dataDir, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
  return {
    /** Key that decrypts people's secrets, used by the job pool `deploy`. The sealing key is derived from it. */
    secrets: join(dataDir, 'keys/secrets/secrets.key'),
    /** Key that signs the audit, used by the job pool `maintenance`. Its public key is in the same folder. */
    audit: join(dataDir, 'keys/audit/signing-key.pem'),
    /** The programs and alarms that may write, with a source `alertmanager` to try. */
    sources: prepareSources(dataDir),
  };
}

/** Writes the file of sources with a token of its own, unless there is one. */
function prepareSources(dataDir: string): string {
  const file = join(dataDir, 'sources.json');
  const secret = randomBytes(24).toString('hex');
  // The project that a newcomer registers: see the README.
  const source = { name: 'alertmanager', kind: 'alertmanager', secret, projects: ['demo'] };
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify([source], null, 2)}\n`, { mode: 0o600 });
  return file;
}

export type KeyFiles = ReturnType<typeof prepareKeyFiles>;
