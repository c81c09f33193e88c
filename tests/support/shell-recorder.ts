import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What ran: the argv of every program in the order of the pipe, how it ended, and what was left behind in its folder. */
interface Recording {
  readonly argv: readonly (readonly string[])[];
  readonly error: string;
  readonly code: number | null;
  readonly left: readonly string[];
}

/** A bash for which every program is one that tells how it was started, and which reaches no other. */
export interface ShellRecorder {
  runInBash(command: string): Promise<Recording>;
}

/** Passes on what came before it and adds its own argv: the end of a pipe tells all of them, in order. */
const RECORDER = `#!/bin/sh
/bin/cat
printf '%s\\000' "\${0##*/}" "$@"
printf '\\001'
`;

/** Makes a folder with a recorder for each of these programs. Deadline of each run: a minute. */
export async function createShellRecorder(folder: string, programs: readonly string[]): Promise<ShellRecorder> {
  const [bin, work] = [join(folder, 'bin'), join(folder, 'work')];
  await Promise.all([mkdir(bin), mkdir(work)]);
  for (const program of programs) {
    await writeFile(join(bin, program), RECORDER);
    await chmod(join(bin, program), 0o755);
  }
  return {
    runInBash: async (command) => {
      // Some programs are built into bash; the product starts the real ones.
      const script = `enable -n echo pwd true false\n${command}`;
      const { out, error, code } = await collect(
        spawn('/bin/bash', ['--norc', '--noprofile', '-c', script], {
          cwd: work,
          env: { PATH: bin, HOME: work },
          timeout: 60_000,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
      return { argv: readRecords(out), error, code, left: await readdir(work) };
    },
  };
}

function collect(child: ReturnType<typeof spawn>): Promise<{ out: string; error: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    let out = '';
    let error = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString('latin1')));
    child.stderr?.on('data', (chunk: Buffer) => (error += chunk.toString('latin1')));
    child.on('error', reject);
    child.on('close', (code) => resolve({ out, error, code }));
  });
}

function readRecords(text: string): readonly (readonly string[])[] {
  return text
    .split('\x01')
    .slice(0, -1)
    .map((record) => record.split('\0').slice(0, -1));
}
