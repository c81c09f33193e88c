import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fetchProgram, runs } from './debian-packages.ts';

/** Variables of the job service that locate bubblewrap; empty when it was not found, in which case commands are refused. */
export type BubblewrapSettings = { readonly BWRAP_PATH?: string; readonly BWRAP_LIBRARY_PATH?: string };

const DEBIAN = { title: 'bubblewrap', packages: ['bubblewrap', 'libcap2'], file: 'usr/bin/bwrap' };

/**
 * Finds bubblewrap, the sandbox of commands: by BWRAP_PATH, else on PATH, else Debian's packages unpacked in `binDir` without root (needs
 * apt, some seconds and 100 kB, once). Never throws; `problem` describes a failure.
 */
export async function locateBubblewrap(
  binDir: string,
  given: { readonly named: string | undefined; readonly path: string },
  report: (line: string) => void,
): Promise<{ readonly settings: BubblewrapSettings; readonly problem: string | null }> {
  if (given.named !== undefined) return { settings: {}, problem: null }; // the job service reads BWRAP_PATH itself
  const installed = given.path.split(delimiter).map((folder) => join(folder, 'bwrap'));
  if (installed.some((file) => existsSync(file) && runs({ file, env: {} }))) return { settings: {}, problem: null };
  const fetched = await fetchProgram(DEBIAN, binDir, report);
  if ('problem' in fetched) return { settings: {}, problem: fetched.problem };
  const { file, env } = fetched.program;
  return { settings: { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: env['LD_LIBRARY_PATH'] ?? '' }, problem: null };
}
