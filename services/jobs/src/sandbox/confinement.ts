import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, lstatSync, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { AppError } from '@signalbox/contracts/errors';
import type { BubblewrapProgram } from './bubblewrap.ts';
import {
  listHiddenPaths,
  createPasswdLine,
  createProgramArguments,
  buildProgramArgs,
  type ProgramSandbox,
} from './program-room.ts';
import { compileFilter } from './system-call-filter.ts';

/** How a program is confined: by a system user of its own in a sandbox, by the sandbox alone, or not at all. */
export type ConfinementKind = 'user' | 'sandbox' | 'off' | 'missing';

/** How a confined program is started: see buildLaunchArgs. */
export interface ConfinedProgram {
  readonly bubblewrap: BubblewrapProgram;
  /** Arguments between bubblewrap and the program. */
  readonly words: readonly string[];
  /** Bubblewrap's arguments. They contain variables' values, so they are passed through a file descriptor. */
  readonly args: Buffer;
  readonly filterFile: string;
}

export interface Confinement {
  readonly kind: ConfinementKind;
  /** Sentence that explains why nothing may be built or started; null when it may. */
  readonly problem: string | null;
  /**
   * Writes bubblewrap's files into `control`, which no program can write, gives the release and data folders to the program's user, and
   * returns how to start the program. Null with confinement off. Throws CONFINEMENT_MISSING. Idempotent.
   */
  confine(place: ConfinementInput): Promise<ConfinedProgram | null>;
}

export interface ConfinementInput extends Omit<ProgramSandbox, 'passwd' | 'hostname'> {
  /** The folder of the installation, which together with the service determines the system user. */
  readonly targetsDir: string;
  readonly service: string;
  readonly control: string;
}

/** First of the user ids that nobody else assigns. Two services share an id with a chance of one in two hundred million. */
const FIRST_USER = 1_900_000_000;
const USERS = 200_000_000;
const SELF_TEST_MS = 20_000;
const run = promisify(execFile);

/** Finds the strongest confinement that works here, by trying it. Never throws. */
export async function openConfinement(options: {
  readonly program: BubblewrapProgram | null;
  readonly isOff?: boolean;
  readonly architecture?: string;
}): Promise<Confinement> {
  const { program, isOff = false, architecture = process.arch } = options;
  if (isOff) return { kind: 'off', problem: null, confine: async () => null };
  const filter = compileFilter(architecture);
  if (program === null) return missing('bubblewrap is not installed');
  if (filter === null) return missing(`no filter of system calls is known for ${architecture}`);
  let problem = '';
  for (const kind of process.getuid?.() === 0 ? (['user', 'sandbox'] as const) : (['sandbox'] as const)) {
    const cell: Cell = { program, filter, kind };
    const found = await tryOut(cell);
    if (found === null) return { kind, problem: null, confine: (place) => confine(cell, place) };
    problem ||= found;
  }
  return missing(problem);
}

interface Cell {
  readonly program: BubblewrapProgram;
  readonly filter: Buffer;
  readonly kind: 'user' | 'sandbox';
}

async function confine({ program, filter, kind }: Cell, place: ConfinementInput): Promise<ConfinedProgram> {
  const { control, service, targetsDir, ...room } = place;
  const user = kind === 'user' ? userOf(targetsDir, service) : null;
  mkdirSync(control, { recursive: true, mode: 0o700 });
  const [passwd, filterFile] = [join(control, 'passwd'), join(control, 'filter')];
  // The passwd file is readable for all users: bubblewrap reads it, and the program may read it as any user.
  writeFileSync(passwd, createPasswdLine(user), { mode: 0o644 });
  writeFileSync(filterFile, filter, { mode: 0o600 });
  for (const folder of [room.release, room.data]) await giveTo(user ?? process.getuid?.() ?? 0, folder);
  const hostname = service.replace(/[^a-z0-9]+/gi, '-').slice(0, 60);
  return {
    bubblewrap: program,
    words: buildProgramArgs(user),
    args: createProgramArguments({ ...room, passwd, hostname }, user, listHiddenPaths(targetsDir)),
    filterFile,
  };
}

/** Builds the command of a confined program. `mark` identifies its processes; the numbers are bubblewrap's descriptors. */
export function buildLaunchArgs(
  { bubblewrap, words }: ConfinedProgram,
  mark: string,
  { args, filter, info }: { readonly args: number; readonly filter: number; readonly info?: number },
): readonly string[] {
  const { file, libraryPath } = bubblewrap;
  return [
    '/usr/bin/env',
    '-i',
    mark,
    ...(libraryPath === null ? [] : [`LD_LIBRARY_PATH=${libraryPath}`]),
    file,
    '--args',
    String(args),
    '--seccomp',
    String(filter),
    ...(info === undefined ? [] : ['--info-fd', String(info)]),
    '--',
    ...words,
  ];
}

/** Starts a confined program in its own session with piped output. `bounded`: see buildBoundedPrefix. */
export function startConfined(
  confined: ConfinedProgram,
  argv: readonly string[],
  options: {
    readonly mark: string;
    readonly stdin: 'pipe' | 'ignore';
    readonly bounded?: readonly string[];
    readonly timeout?: number;
  },
): ChildProcess {
  const { mark, stdin, bounded = [], timeout } = options;
  const filter = openSync(confined.filterFile, 'r');
  try {
    const [program = '', ...words] = [...bounded, ...buildLaunchArgs(confined, mark, { args: 3, filter: 4 }), ...argv];
    const stdio = [stdin, 'pipe', 'pipe', 'pipe', filter] as const;
    const child = spawn(program, words, {
      cwd: '/',
      env: {},
      detached: true,
      stdio: [...stdio],
      timeout,
      killSignal: 'SIGKILL',
    });
    const args = child.stdio[3] as Writable; // `stdio` makes this stream a pipe.
    args.on('error', () => undefined); // Bubblewrap has ended and reports the reason.
    args.end(confined.args);
    return child;
  } finally {
    closeSync(filter);
  }
}

/** Computes the system user's id for a service, stable in one installation. */
function userOf(targetsDir: string, service: string): number {
  const hash = createHash('sha256').update(`${targetsDir}\0${service}`).digest();
  return FIRST_USER + (hash.readUInt32BE() % USERS);
}

/** Gives a folder with its contents, including links themselves, to the user. Skips a folder that the user already owns. */
async function giveTo(user: number, folder: string): Promise<void> {
  if (lstatSync(folder).uid === user) return;
  // chown changes the folder itself last, so an interrupted change is repeated.
  await run('/bin/chown', ['-hR', `${user}:${user}`, '--', folder], { env: {}, maxBuffer: 1_000_000 });
}

/** Tests the confinement by starting Node as a confined program. Returns the problem; null when it works. */
async function tryOut(cell: Cell): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-confinement-'));
  try {
    for (const name of ['release', 'data']) mkdirSync(join(folder, name), { mode: 0o700 });
    const confined = await confine(cell, {
      release: join(folder, 'release'),
      isReleaseWritable: false,
      data: join(folder, 'data'),
      control: folder,
      targetsDir: folder,
      service: 'self-test',
      environment: {},
    });
    const said = await launch(confined, [process.execPath, '-e', '0']);
    return said === null ? null : `bubblewrap does not work here: ${said}`;
  } catch (error) {
    return `bubblewrap cannot be started: ${(error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function launch(confined: ConfinedProgram, argv: readonly string[]): Promise<string | null> {
  const child = startConfined(confined, argv, {
    mark: 'SIGNALBOX_SELF_TEST=1',
    stdin: 'ignore',
    timeout: SELF_TEST_MS,
  });
  let said = '';
  child.stdout?.resume();
  child.stderr?.on('data', (bytes: Buffer) => (said += String(bytes)));
  const [code] = (await once(child, 'close')) as [number | null]; // Node documents these arguments of `close`.
  return code === 0 ? null : said.trim().split('\n')[0]?.slice(0, 300) || `exit code ${code}`;
}

function missing(problem: string): Confinement {
  return {
    kind: 'missing',
    problem,
    confine: () => Promise.reject(new AppError('CONFINEMENT_MISSING', { reason: problem })),
  };
}
