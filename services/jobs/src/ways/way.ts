import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PlanNote, ServiceFile } from '@signalbox/contracts/operations/deploy';
import { getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { tryOr } from '@signalbox/contracts/system-error';
import type { ServerAccess } from '@signalbox/store/deploy/deployments-placement';

/** What a way of starting a program takes. `file` and `language` are never met: the commit lacks it, or Signalbox installs nothing for it. */
export type Need =
  { readonly kind: 'engine' } | { readonly kind: 'program' | 'file' | 'language'; readonly what: string };

/** One way of building and starting a commit. */
export interface Way {
  /** The file that says it, such as `Procfile`. */
  readonly of: string;
  readonly file: ServiceFile;
  readonly needs: readonly Need[];
  /** True when the authors name no command that starts it. */
  readonly isGuess: boolean;
  readonly notes: readonly PlanNote[];
}

/** The files at a commit's root: all names, and the text of some files. */
export interface RootFiles {
  /** Names also include paths such as `public/index.html`. */
  readonly names: ReadonlySet<string>;
  readonly packageJson: string | null;
  readonly procfile: string | null;
  readonly netlify: string | null;
}

/** A way of starting before the settings of the project are known. */
export interface Draft extends Pick<Way, 'of' | 'needs' | 'isGuess'> {
  readonly build: readonly (readonly string[])[];
  readonly start?: readonly string[];
  readonly notes?: readonly PlanNote[];
}

export const PYTHON: Need = { kind: 'program', what: 'python3' };

/** Serves a folder of static pages. */
export function servePages(folder: string): Pick<Draft, 'start' | 'needs'> {
  const below = folder === '.' ? '' : ` --directory ${folder}`;
  const start = ['/bin/sh', '-c', `exec python3 -m http.server "$PORT" --bind "$HOST"${below}`];
  return { start, needs: [PYTHON] };
}

/** A server, as far as the choice of a way depends on it. */
export type Machine = Pick<ServerAccess, 'server' | 'driver'>;

/** The way that is taken on a server, with what people have to know of it; `way` is null when none can be taken. */
export interface ChosenWay {
  readonly way: Way | null;
  readonly notes: readonly PlanNote[];
}

/** Takes the first way whose needs a server meets. `hasProgram` tells of programs on this machine. Pure. */
export function chooseWay(ways: readonly Way[], machine: Machine, hasProgram: (name: string) => boolean): ChosenWay {
  const { runsImages } = getDriverTraits(machine.driver);
  const isMet = (need: Need): boolean => {
    if (need.kind === 'engine') return runsImages;
    if (need.kind !== 'program') return false;
    // The base image has Node alone, and nobody knows its other files.
    return runsImages ? need.what.startsWith('/') : hasProgram(need.what);
  };
  const passed: PlanNote[] = [];
  for (const way of ways) {
    const missing = way.needs.find((need) => !isMet(need));
    if (missing === undefined) return { way, notes: [...passed, ...way.notes] };
    const what = missing.kind === 'engine' ? '' : missing.what;
    passed.push({ kind: 'passed', of: way.of, need: missing.kind, what, server: machine.server });
  }
  return { way: null, notes: passed };
}

/** Creates a look-up of the programs of this machine in `path`; `isSeen` tells which folders programs may read. */
export function createProgramLookUp(path: string, isSeen: (folder: string) => boolean): (name: string) => boolean {
  const folders = path.split(delimiter).filter((folder) => folder.startsWith('/') && isSeen(folder));
  const isThere = (file: string): boolean => tryOr(() => accessSync(file, constants.X_OK) === undefined, false);
  return (name) => (name.startsWith('/') ? isThere(name) : folders.some((folder) => isThere(join(folder, name))));
}
