import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { downloadProgram, libraryPath } from './debian-packages.ts';

/** Where bubblewrap is, as the variables of the job service; empty when it was not found, and then commands are refused. */
export type BubblewrapSettings = { readonly BWRAP_PATH?: string; readonly BWRAP_LIBRARY_PATH?: string };

const DEBIAN = { title: 'bubblewrap', packages: ['bubblewrap', 'libcap2'], file: 'usr/bin/bwrap' };

/**
 * Finds bubblewrap, in which commands are locked in: the one that BWRAP_PATH names, else the one on PATH, else Debian's packages,
 * unpacked in `binDir` without root (needs apt, some seconds and 100 kB, once). Never throws: what it cannot do is `problem`.
 */
export async function locateBubblewrap(
  binDir: string,
  given: { readonly named: string | undefined; readonly path: string },
  report: (line: string) => void,
): Promise<{ readonly settings: BubblewrapSettings; readonly problem: string | null }> {
  if (given.named !== undefined) return { settings: {}, problem: null }; // the job service reads the variable itself
  const installed = given.path.split(delimiter).map((folder) => join(folder, 'bwrap'));
  if (installed.some((file) => existsSync(file) && runs(file, {}))) return { settings: {}, problem: null };
  const unpacked = findUnpacked(binDir);
  if (unpacked !== null) return { settings: unpacked, problem: null };
  const problem = await downloadProgram(DEBIAN, binDir, report);
  const fetched = findUnpacked(binDir);
  if (fetched !== null) return { settings: fetched, problem: null };
  return { settings: {}, problem: problem ?? 'the downloaded bwrap does not run on this machine' };
}

function findUnpacked(binDir: string): BubblewrapSettings | null {
  const file = join(binDir, DEBIAN.file);
  if (!existsSync(file)) return null;
  const libraries = libraryPath(binDir);
  return runs(file, { LD_LIBRARY_PATH: libraries }) ? { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraries } : null;
}

function runs(file: string, env: Readonly<Record<string, string>>): boolean {
  return spawnSync(file, ['--version'], { env: { ...env }, stdio: 'ignore', timeout: 10_000 }).status === 0;
}
