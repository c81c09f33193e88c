import { describeDriver, type DriverTarget } from '../../contracts/drivers.ts';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { readEverything } from '../../support/read-everything.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

async function openTarget(): Promise<DriverTarget> {
  const { confinement } = await openTestConfinement();
  const targetsDir = makeTemporaryFolder('targets');
  return {
    server: { name: 'local', host: '127.0.0.1', driver: 'process', connection: {}, hostKey: null },
    parts: { targetsDir, path: loadTestConfig().path, baseImage: '', restarts: 1, confinement },
    secret: '',
    traces: async () => readEverything(targetsDir),
    close: async () => undefined,
  };
}

describeDriver('process', openTarget);
