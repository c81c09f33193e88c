import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DriverDeps } from '@signalbox/jobs/drivers/driver-deps';
import { takeInstanceLock } from '@signalbox/local/supervisor/instance';
import { loadTestConfig } from '../support/config.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { importBaseImage } from './base-image.ts';
import type { Engine } from './engine.ts';

const BASE = 'signalbox-driver-base:local';
/** What the builds of the tests use beside Node. */
const PROGRAMS = ['/usr/bin/sleep', '/usr/bin/setsid'];
const OURS = ['--filter', 'label=signalbox.deployment'];

/** An engine on which drivers are tried. */
export interface DriverEngine {
  readonly parts: Omit<DriverDeps, 'openSecret'>;
  /** Labels and words of every container, and the history of every image. What a container's environment is stays out. */
  traces(): Promise<string>;
  removeAll(): Promise<void>;
  close(): Promise<void>;
}

/** Suites that share the engine of a machine would remove one another's containers: one at a time. */
const ENGINE_LOCK = join(tmpdir(), 'signalbox-test-engine');
const ENGINE_WAIT_MS = 600_000;

/** Gives an engine the image that builds begin with, with `more` programs, once no other suite has containers on this machine. */
export async function prepareEngine(engine: Engine, more: readonly string[] = []): Promise<DriverEngine> {
  const { docker } = engine;
  const giveBack = await until(takeEngine, ENGINE_WAIT_MS);
  await importBaseImage(engine, makeTemporaryFolder('driver-base'), BASE, [...PROGRAMS, ...more]);
  const list = async (...words: readonly string[]): Promise<readonly string[]> => {
    const lines = (await docker([...words, ...OURS])).split('\n').filter((line) => line !== '');
    return [...new Set(lines)];
  };
  const removeAll = async (): Promise<void> => {
    const [containers, images] = [await list('ps', '-aq'), await list('images', '-q')];
    if (containers.length > 0) await docker(['rm', '-f', ...containers]);
    if (images.length > 0) await docker(['rmi', '-f', ...images]);
  };
  const confinement = await openConfinement({ program: null });
  return {
    parts: { targetsDir: '/nonexistent', path: loadTestConfig().path, baseImage: BASE, restarts: 1, confinement },
    traces: async () => {
      const shown = '{{json .Config.Labels}} {{.Path}} {{json .Args}} {{.Name}}';
      const containers = await docker(['inspect', '--format', shown, ...(await list('ps', '-aq'))]);
      const histories: string[] = [];
      for (const image of await list('images', '-q'))
        histories.push(await docker(['history', '--no-trunc', '--format', '{{.CreatedBy}}', image]));
      return [containers, ...histories].join('\n');
    },
    removeAll,
    close: async () => {
      await removeAll();
      await docker(['image', 'rm', '-f', BASE]);
      giveBack();
    },
  };
}

function takeEngine(): (() => void) | null {
  try {
    return takeInstanceLock(ENGINE_LOCK);
  } catch {
    return null; // another suite has it
  }
}
