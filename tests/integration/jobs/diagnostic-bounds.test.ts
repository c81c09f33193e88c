import { openThisMachine } from '@signalbox/jobs/drivers/this-machine';
import { executeBounded, UNAPPROVED_LIMITS, type PipelineLimits } from '@signalbox/jobs/machine/bounded-run';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// The real programs on this machine, with commands that would never end or take all that there is.

const { path, ci } = loadTestConfig();
const machine = openThisMachine(path);
const hasJq = path.split(':').some((folder) => existsSync(join(folder, 'jq')));
if (!hasJq && ci) throw new Error('The bounds of jq are not tested: it is not on the PATH.');
if (!hasJq) console.warn('\nNOT RUN: the bounds of jq. It is not on the PATH.\n');
const run = (pipeline: readonly (readonly string[])[], bounds: Partial<PipelineLimits> = {}) =>
  executeBounded(
    machine,
    pipeline,
    { signal: AbortSignal.timeout(40_000), maxBytes: 1_000 },
    { ...UNAPPROVED_LIMITS, ...bounds },
  );

const KILLED = 'A program was ended by a signal. Each may use 1 seconds of processor time and 512 MB of memory.\n';

/** Whether a process of this machine still has these words. */
function isRunning(words: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
          .replaceAll('\0', ' ')
          .includes(words);
      } catch {
        return false;
      }
    });
}

it('a diagnostic program gets its arguments unchanged, and its exit code is reported', async () => {
  expect(await run([['echo', '$HOME; `id`', '*', '|']])).toEqual({
    code: 0,
    stdout: '$HOME; `id` * |\n',
    stderr: '',
    truncated: false,
  });
  expect(await run([['grep', 'x'], ['wc', '-l']])).toMatchObject({ code: 0, stdout: '0\n' }); // prettier-ignore
  expect(await run([['false']])).toMatchObject({ code: 1 });
  expect(await run([['no-such-program']])).toMatchObject({ code: 127 });
});

it('a diagnostic program that fills the memory is killed by the kernel', async () => {
  const { code, stdout } = await run([['tail', '-n', '7', '/dev/zero']]);
  expect(code).not.toBe(0);
  expect(stdout).toBe('');
  expect(isRunning('tail -n 7 /dev/zero')).toBe(false);
});

it('a diagnostic program with endless output is stopped, and its output so far is kept', async () => {
  const startedAt = performance.now();
  const ran = await run([['yes', 'much']]);
  expect(ran).toMatchObject({ code: null, truncated: true, stderr: expect.stringContaining('it wrote more than') });
  expect(ran.stdout).toMatch(/^much\nmuch\n/);
  expect(ran.stdout.length).toBeLessThanOrEqual(1_000);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(isRunning('yes much')).toBe(false);
});

it('a diagnostic program that computes endlessly is stopped at its limit of processor time', async () => {
  const ran = await run([['sha256sum', '-b', '/dev/zero']], { cpuSeconds: 1 });
  expect(ran).toMatchObject({ code: null, truncated: true, stderr: KILLED });
  expect(isRunning('sha256sum -b /dev/zero')).toBe(false);
});

it('a diagnostic program that the kernel killed is reported even when the next program of its pipeline succeeded', async () => {
  const ran = await run([['sha256sum', '-b', '/dev/zero'], ['wc', '-c']], { cpuSeconds: 1 }); // prettier-ignore
  expect(ran).toMatchObject({ code: 0, stdout: '0\n', truncated: true, stderr: KILLED });
});

it.runIf(hasJq).each([
  ['memory', "jq -n '[range(1e12)]'", /cannot allocate memory\n.* 512 MB of memory\.\n$/],
  ['output', "jq -n 'range(1e12)'", /it wrote more than 1048576 bytes/],
  ['processor time', "jq -n 'last(range(1e12))'", /by a signal\. Each may use 1 seconds of processor time/],
])(
  'an unapproved command with endless numbers is stopped at its limit of %s, and the answer says so',
  async (_what, command, said) => {
    const { decision, pipeline } = classifyCommand(command, 'server');
    expect(decision).toBe('run');
    // The array takes its memory before its time; the others are quick, or take no memory.
    const ran = await run(pipeline ?? [], command.includes('last') ? { cpuSeconds: 1 } : {});
    expect(ran).toMatchObject({ code: null, truncated: true, stderr: expect.stringMatching(said) });
    expect(ran.stdout.length).toBeLessThanOrEqual(1_000);
    expect(isRunning('range(1e12)')).toBe(false);
  },
  45_000,
);

it('a diagnostic program that waits endlessly is stopped at the deadline, with its whole pipeline', async () => {
  const ran = await run([['tail', '-f', '/proc/loadavg'], ['cat'], ['sleep', '4711']], { wallMs: 1_000 }); // prettier-ignore
  expect(ran).toMatchObject({ code: null, stderr: 'The command was ended: it took longer than 1 seconds.\n' });
  expect(isRunning('tail -f /proc/loadavg')).toBe(false);
  expect(isRunning('sleep 4711')).toBe(false);
});

it('a diagnostic program can write no file, and does not see the environment of the login', async () => {
  const file = join(makeTemporaryFolder('bounds'), 'out');
  expect((await run([['sh', '-c', `echo much > ${file}`]])).code).not.toBe(0);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe('');
  const { stdout } = await run([['env']]);
  expect(stdout.split('\n').map((line) => line.split('=')[0])).toEqual(['PATH', 'LANG', 'SIGNALBOX_COMMAND', '']);
});
