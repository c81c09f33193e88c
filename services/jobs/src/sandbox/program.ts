import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tryOr } from '@signalbox/contracts/system-error';
import type { BubblewrapProgram } from './bubblewrap.ts';

/** Finds the configured bubblewrap, else bubblewrap on PATH; null when none is found. `openSandbox` checks whether it works. */
export function findBubblewrap(settings: {
  readonly file: string | undefined;
  readonly libraryPath: string | undefined;
  readonly path: string;
}): BubblewrapProgram | null {
  const { file, libraryPath = null, path } = settings;
  if (file !== undefined) return { file, libraryPath };
  const found = path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'bwrap'))
    .find((program) => tryOr(() => accessSync(program, constants.X_OK) === undefined, false));
  return found === undefined ? null : { file: found, libraryPath: null };
}
