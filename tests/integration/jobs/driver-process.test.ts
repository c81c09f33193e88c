import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeDriver, type DriverTarget } from '../../contracts/drivers.ts';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

async function openTarget(): Promise<DriverTarget> {
  const { confinement } = await openTestConfinement();
  const targetsDir = makeTemporaryFolder('targets');
  return {
    server: { name: 'local', host: '127.0.0.1', driver: 'process', connection: {}, hostKey: null },
    parts: { targetsDir, path: loadTestConfig().path, baseImage: '', restarts: 1, confinement },
    secret: '',
    traces: async () => readAll(targetsDir),
    close: async () => undefined,
  };
}

function readAll(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => [name, join(folder, name)] as const)
    .map(([name, path]) => (statSync(path).isFile() ? `${name}\n${readFileSync(path, 'utf8')}` : name))
    .join('\n');
}

describeDriver('process', openTarget);
