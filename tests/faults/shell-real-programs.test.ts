import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { hardenArgv, PROGRAMS } from '@signalbox/safety/shell/programs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// The programs themselves, with forms of their options that the list does not know of: whatever the list lets pass is run, while another
// process of this user holds a secret in its environment. How the list reads a form does not matter here, only what the program prints.

const SECRET = 'canary-4b1d-in-an-environment';
/** A program that waits is ended after this; what it printed until then counts. */
const LONGEST_MS = 5_000;
const MANY_PROCESSES_MS = 400_000;

let holder: ChildProcess;
let folder: string;

beforeAll(async () => {
  folder = makeTemporaryFolder('real-programs');
  for (const name of ['a', 'b.txt', 'e']) writeFileSync(join(folder, name), 'one 1\ntwo 2\n');
  writeFileSync(join(folder, 'c.json'), '{"a": 1}\n');
  holder = spawn('/bin/sleep', ['600'], { env: { TOKEN: SECRET }, stdio: 'ignore' });
  await once(holder, 'spawn');
});
afterAll(() => holder.kill('SIGKILL'));

/** All that a program prints, of both streams. */
async function run([name = '', ...args]: readonly string[]): Promise<string> {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', COLUMNS: '4000' };
  const child = spawn(name, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(child, 'close').catch(() => undefined); // not installed: it prints nothing
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), LONGEST_MS);
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  child.stderr.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  await ended;
  clearTimeout(timer);
  return text;
}

/** What would run unasked in place of these words, or null. */
function unasked(argv: readonly string[]): readonly string[] | null {
  const hardened = hardenArgv(argv);
  return 'reason' in hardened ? null : hardened.argv;
}

/** Words that ps may be given, in every style that it has. */
const PS_WORDS: readonly string[] = [
  ...'e x a f aux auxe ax axe ef eww o k p U t N g j l s u v X Z H m c n S r T h w'.split(' '),
  ...'-e -A -a -d -ax -aux -auxe -ef -eF -ely -x -xe -u -uxe -g -gx -t -tx -U -Ux -C -Cx -p -p1 -px -s -N -H -L -T -m -M -Z'.split(
    ' ',
  ),
  ...'-f -F -j -l -w -ww -o -O -eo -Ao -fo -opid -opid,args -oargs,environ -k -c -P -V -y -n -1 +1 1 - --'.split(' '),
  ...'pid args pid,args cmd,pid root nobody user pid=e --forest --sort --sort=pid --sort=-pcpu --sort=e --format --format=cmd'.split(
    ' ',
  ),
  ...'--format=environ --user --user=root --pid --pid=1 --ppid=0 --cols=4000 --cols=e --width=9999 --headers --no-headers'.split(
    ' ',
  ),
];
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

describe('a secret in the environment of another process', () => {
  it('is printed by the calls of ps that need an approval', async () => {
    for (const form of ['ps auxeww', 'ps -aux -e --cols=4000', 'ps -f -xe -ww', 'ps axe --cols=4000']) {
      expect(unasked(form.split(' '))).toBeNull();
      expect({ form, printed: await run(form.split(' ')) }).toMatchObject({ printed: expect.stringContaining(SECRET) });
    }
  });

  it(
    'is printed by no pair of ps arguments that runs without an approval',
    async () => {
      let ran = 0;
      for (const one of PS_WORDS)
        for (const other of ['', ...PS_WORDS]) {
          const argv = unasked(['ps', one, other].filter((word) => word !== ''));
          if (argv === null) continue;
          ran += 1;
          expect({ words: [one, other], argv, leaks: (await run(argv)).includes(SECRET) }).toMatchObject({
            leaks: false,
          });
        }
      expect(ran).toBeGreaterThan(300);
    },
    MANY_PROCESSES_MS,
  );

  it(
    'is printed by no random ps arguments that run without an approval',
    async () => {
      let ran = 0;
      const cluster = fc
        .tuple(
          fc.constantFrom('', '-', '-', '--'),
          fc.array(fc.constantFrom(...LETTERS, 'e', 'f', 'a', 'x'), { minLength: 1, maxLength: 4 }),
        )
        .map(([dashes, letters]) => dashes + letters.join(''));
      const words = fc.array(fc.oneof(fc.constantFrom(...PS_WORDS), cluster), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(words, async (args) => {
          const argv = unasked(['ps', ...args]);
          if (argv === null) return;
          ran += 1;
          expect({ argv, leaks: (await run(argv)).includes(SECRET) }).toMatchObject({ leaks: false });
        }),
        { numRuns: 20_000, seed: 11, endOnFailure: true },
      );
      expect(ran).toBeGreaterThan(300);
    },
    MANY_PROCESSES_MS,
  );

  it(
    'is printed by no tested call of any other program that runs without an approval',
    async () => {
      const ran = new Map<string, number>();
      const pid = String(holder.pid);
      const paths = [
        `/proc/${pid}`,
        `/proc/${pid}/environ`,
        `/proc/${pid}/cmdline`,
        `/proc/self/../${pid}/environ`,
        folder,
      ];
      const word = fc.oneof(
        fc.constantFrom(pid, '+1', '+e', '1', 'e', 'x', 'env', '.', 'a', 'b.txt', 'c.json', '-', '--', '-1', ...paths),
        fc
          .tuple(
            fc.constantFrom('-', '-', '-', '+', '--'),
            fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 3 }),
          )
          .map(([dash, letters]) => dash + letters.join('')),
        fc
          .tuple(fc.constantFrom(...LETTERS), fc.constantFrom('1', 'e', 'json', 'verbose', 'environ', `=${pid}`))
          .map(([letter, value]) => `-${letter}${value}`),
      );
      // These read the whole machine: slow, and bounded elsewhere.
      const names = Object.keys(PROGRAMS).filter((name) => !['ps', 'git'].includes(name));
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...names), fc.array(word, { maxLength: 4 }), async (name, args) => {
          const argv = unasked([name, ...args]);
          if (argv === null || (ran.get(name) ?? 0) >= 40) return;
          ran.set(name, (ran.get(name) ?? 0) + 1);
          expect({ argv, leaks: (await run(argv)).includes(SECRET) }).toMatchObject({ leaks: false });
        }),
        { numRuns: 30_000, seed: 12, endOnFailure: true },
      );
      expect(ran.size).toBeGreaterThan(names.length - 5);
    },
    MANY_PROCESSES_MS,
  );
});

describe('a file on a server', () => {
  it(
    'is read by no tested call of any program that runs there without an approval',
    async () => {
      const file = join(folder, 'notes.txt');
      writeFileSync(file, `${SECRET}\n`);
      const ran = new Set<string>();
      const flag = fc.constantFrom(
        ...LETTERS.map((letter) => `-${letter}`),
        '-n5',
        '-c9',
        '--',
        '.',
        'x',
        '1,5p',
        '-rn',
        '-',
      );
      const words = fc.tuple(
        fc.array(flag, { maxLength: 3 }),
        fc.constantFrom(file, `-f${file}`, folder),
        fc.array(flag, { maxLength: 1 }),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...Object.keys(PROGRAMS)), words, async (name, [before, path, after]) => {
          const { pipeline } = classifyCommand([name, ...before, path, ...after].join(' '), 'server');
          const [argv] = pipeline ?? [];
          if (!argv) return;
          ran.add(name);
          const printed = name === 'echo' ? '' : await run(argv);
          expect({ argv, leaks: printed.includes(SECRET) }).toMatchObject({ leaks: false });
        }),
        { numRuns: 8_000, seed: 13, endOnFailure: true },
      );
      expect(ran.size).toBeGreaterThan(3);
    },
    MANY_PROCESSES_MS,
  );
});
