import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fetchProgram, canRun } from './debian-packages.ts';

/** Variables that tell the job service where bubblewrap is; empty when the job service finds it itself, or when there is none. */
export type BubblewrapSettings = { readonly BWRAP_PATH?: string; readonly BWRAP_LIBRARY_PATH?: string };

const DEBIAN = { title: 'bubblewrap', packages: ['bubblewrap', 'libcap2'], file: 'usr/bin/bwrap' };

/**
 * Finds bubblewrap, the sandbox for commands: BWRAP_PATH, otherwise bwrap on PATH, otherwise Debian's packages (apt downloads 100 kB,
 * without root). Never throws; `problem` describes a failure.
 */
export async function locateBubblewrap(
  binDir: string,
  given: { readonly named: string | undefined; readonly path: string },
  report: (line: string) => void,
): Promise<{ readonly settings: BubblewrapSettings; readonly problem: string | null }> {
  if (given.named !== undefined) return { settings: {}, problem: null }; // the job service reads BWRAP_PATH itself
  const installed = given.path.split(delimiter).map((folder) => join(folder, 'bwrap'));
  if (installed.some((file) => existsSync(file) && canRun({ file, env: {} }))) return { settings: {}, problem: null };
  const fetched = await fetchProgram(DEBIAN, binDir, report);
  if ('problem' in fetched) return { settings: {}, problem: fetched.problem };
  const { file, env } = fetched.program;
  return { settings: { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: env['LD_LIBRARY_PATH'] ?? '' }, problem: null };
}
