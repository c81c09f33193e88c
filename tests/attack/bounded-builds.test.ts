import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { describe, expect, it } from 'vitest';
import { newRelease, soon } from '../contracts/driver-releases.ts';
import { openTestConfinement } from '../support/bubblewrap.ts';
import { loadTestConfig } from '../support/config.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const ALLOCATES = ['node', '-e', 'const a = []; for (let i = 0; i < 40; i++) a.push(Buffer.alloc(10 << 20, 1))'];
const FORKS = ['sh', '-c', 'i=0; while [ $i -lt 150 ]; do sleep 2 & i=$((i+1)); done; wait'];
const SMALL = { memoryMb: 128, cpus: 2, tasks: 40 };

async function build(command: readonly string[], limits?: typeof SMALL) {
  const { confinement } = await openTestConfinement();
  const targetsDir = makeTemporaryFolder('bounded');
  const given = { server: 'local', targetsDir, path: loadTestConfig().path, restarts: 0, confinement };
  const driver = createProcessDriver(limits ? { ...given, buildLimits: limits } : given);
  const file = ServiceFile.parse({ build: [command], start: ['sleep', '1'] });
  const sourceDir = makeTemporaryFolder('bounded-source');
  return driver.build({ id: newRelease(), sourceDir, file, onLine: () => undefined, signal: soon() });
}

describe('a build', { timeout: 60_000 }, () => {
  it.each([
    ['memory', ALLOCATES],
    ['processes', FORKS],
  ])('that takes more %s than its limit is ended and reported', async (what, command) => {
    await expect(build(command, SMALL)).rejects.toMatchObject({
      code: 'BUILD_FAILED',
      message: expect.stringContaining(`more ${what} than it may have`),
    });
    // The very same is built within the limits that a build has otherwise.
    expect(await build(command)).toMatchObject({ kind: 'folder' });
  });

  it('that stays within small limits is built', async () => {
    expect(await build(['node', '-e', '0'], SMALL)).toMatchObject({ kind: 'folder' });
  });
});
