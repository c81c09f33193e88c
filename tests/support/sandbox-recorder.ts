import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BubblewrapSettings } from '@signalbox/local/setup/bubblewrap-program';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { loadTestConfig } from './config.ts';

/** A bubblewrap that gives the product its own sandbox, only that every program in it is one that tells how it was started. */
export interface SandboxRecorder {
  /** What a job service needs to know in order to use it. */
  readonly settings: { readonly BWRAP_PATH: string; readonly BWRAP_LIBRARY_PATH?: string };
  /** What has been started since the last call, in order. */
  take(): Recorded;
  close(): void;
}

export interface Recorded {
  /** The argv of each program that a command has started. In a pipeline whoever reads a pipe comes after who writes to it. */
  readonly programs: readonly (readonly string[])[];
  /** What the sandbox itself has started in order to begin them, one for each sandbox: what it was told to start. */
  readonly begun: readonly (readonly string[])[];
}

/** Where the PATH of the sandbox leads, so far as this machine has it and it is no link to another of them. */
const PROGRAM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].filter(
  (folder) => existsSync(folder) && realpathSync(folder) === folder,
);

/** Inside of the sandbox: what recorders need themselves. No PATH leads there. */
const OWN = '/usr/bin/.recorder';
/** All of a record in one write: records of several programs do not mix as long as they are shorter than a page. */
const RECORD = `printf '%s\\000' "$#" "\${0##*/}" "$@" >${OWN}/records`;
/** The sandbox begins everything by this, so it is recorded and then does what it is for. */
const BEGINNER = 'prlimit';

/** Ends when its input does, so that the end of a pipe is recorded last; passes on what came and adds a line of its own. */
const RECORDER = `#!${OWN}/sh
while IFS= read -r line; do printf '%s\\n' "$line"; done
${RECORD}
printf '%s %s\\n' "\${0##*/}" "$#"
`;
const BEGINNING_RECORDER = `#!${OWN}/sh
${RECORD}
exec ${OWN}/${BEGINNER} "$@"
`;

/**
 * Makes it in this folder. Every name in the folders of programs is a recorder, and besides `names` too, whether this machine has them
 * or not. The product is not told: it starts the bubblewrap that its settings name, which adds these folders to what was asked for.
 */
export function createSandboxRecorder(
  folder: string,
  bubblewrap: BubblewrapSettings,
  names: readonly string[],
): SandboxRecorder {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath } = bubblewrap;
  const program = findBubblewrap({ file, libraryPath, path: loadTestConfig().path });
  if (program === null) throw new Error('there is no bubblewrap');
  const programs = join(folder, 'programs');
  const own = join(programs, '.recorder');
  mkdirSync(own, { recursive: true });
  copyFileSync(realpathSync('/bin/sh'), join(own, 'sh'));
  copyFileSync(realpathSync(`/usr/bin/${BEGINNER}`), join(own, BEGINNER));
  writeProgram(join(own, 'recorder'), RECORDER);
  writeProgram(join(programs, BEGINNER), BEGINNING_RECORDER);
  const all = new Set([...PROGRAM_FOLDERS.flatMap((path) => readdirSync(path)), ...names]);
  all.delete(BEGINNER);
  for (const name of all) symlinkSync('.recorder/recorder', join(programs, name));

  const records = join(own, 'records');
  execFileSync('mkfifo', ['-m', '600', records]);
  // Held open both ways: whoever writes never waits for a reader, and nobody's end is the end of it.
  const opened = openSync(records, constants.O_RDWR | constants.O_NONBLOCK);
  const wrapper = join(folder, 'bwrap');
  writeProgram(wrapper, describeWrapper(program.file, programs));
  return {
    settings: {
      BWRAP_PATH: wrapper,
      ...(program.libraryPath === null ? {} : { BWRAP_LIBRARY_PATH: program.libraryPath }),
    },
    take: () => {
      const started = readRecords(readAll(opened));
      return {
        programs: started.filter(([name]) => name !== BEGINNER),
        begun: started.filter(([name]) => name === BEGINNER).map((argv) => argv.slice(argv.indexOf('--') + 1)),
      };
    },
    close: () => closeSync(opened),
  };
}

/** Bubblewrap as it was asked for, with other folders of programs put over those of the system right before the command. */
function describeWrapper(bubblewrap: string, programs: string): string {
  const mounts = PROGRAM_FOLDERS.map((path) => `--ro-bind '${programs}' ${path}`).join(' ');
  return `#!/bin/sh
left=$# added=
while [ "$left" -gt 0 ]; do
  word=$1 left=$((left - 1))
  shift
  if [ "$word" = -- ] && [ -z "$added" ]; then
    added=yes
    set -- "$@" ${mounts}
  fi
  set -- "$@" "$word"
done
exec '${bubblewrap}' "$@"
`;
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function readAll(opened: number): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    try {
      chunks.push(chunk.subarray(0, readSync(opened, chunk)));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return Buffer.concat(chunks).toString();
      throw error;
    }
  }
}

/** A record is the number of arguments, the name and the arguments. */
function readRecords(text: string): readonly (readonly string[])[] {
  const words = text.split('\0').slice(0, -1);
  const records: string[][] = [];
  for (let at = 0; at < words.length;) {
    const end = at + 2 + Number(words[at]);
    records.push(words.slice(at + 1, end));
    at = end;
  }
  return records;
}
