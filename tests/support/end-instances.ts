import { readdir } from 'node:fs/promises';
import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';
import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { loadTestConfig } from './config.ts';

/** Ends what was deployed to staging as programs in this folder: instances outlive the process that started them. */
export async function endInstances(targetsDir: string): Promise<void> {
  const confinement = await openConfinement({ program: null }); // it starts nothing
  const { path } = loadTestConfig();
  const driver = createProcessDriver({ server: 'local', targetsDir, path, restarts: 0, confinement });
  const projects = await readdir(targetsDir).catch(() => []);
  for (const project of projects)
    for (const { instance } of await driver.find({ project, environment: 'staging' }, AbortSignal.timeout(10_000)))
      await driver.stop(instance, 0, AbortSignal.timeout(10_000));
}
