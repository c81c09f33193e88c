import { readFileSync } from 'node:fs';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { PROGRAMS } from '@signalbox/safety/shell/programs';
import { hardenPipeline } from '@signalbox/safety/shell/xargs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { quoteWord, SHELL_CHARACTERS, type Quoting } from '../support/shell-commands.ts';
import { createShellRecorder, type ShellRecorder } from '../support/shell-recorder.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Every program is a recorder: what bash gives to it is compared, word by word, with what the product would. That the product does so
// is seen in shell-sandbox.test.ts.

const read = (name: string): readonly string[] =>
  readFileSync(new URL(`../fixtures/shell/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
const readCommands = (name: string): readonly string[] =>
  read(name).map((line) => (JSON.parse(line) as { command: string }).command); // written for this test

const everyday = [
  ...readCommands('everyday.jsonl'),
  "find . ! -name '*.log' -exec grep -n x {} +",
  String.raw`find src -type f \( -name a -o -name b \) -exec wc -l {} \;`,
  "find . -type f ! -name 'a b' | xargs grep -n x | sort",
  'find src -name a -print0 | xargs -0 -n 5 wc -l',
  "find . -exec basename {} ';' -exec stat -c %s -- {} + -print",
];
const hostile = [...readCommands('bypass.jsonl'), ...read('own-bypasses.txt')];
const safe = everyday.filter((command) => classifyCommand(command).decision === 'run');
/** Long ones slow the search down and teach nothing. */
const seeds = [...everyday, ...safe, ...hostile].filter((command) => command.length < 200);

/** `meaning`: what does something in a shell or looks like it. `harmless`: what leaves most commands as safe as they were. */
const pieces = JSON.parse(read('pieces.json').join('')) as Record<'meaning' | 'harmless', readonly string[]>; // written for this test

/** Thousands of short processes take a while on a busy machine. */
const MANY_PROCESSES_MS = 400_000;

let recorder: ShellRecorder;

beforeAll(async () => {
  recorder = await createShellRecorder(makeTemporaryFolder('shell'), Object.keys(PROGRAMS));
});

/** Fails when a command that runs unasked would be anything else to bash. Answers whether it runs. */
async function compare(command: string): Promise<boolean> {
  const { decision, pipeline } = classifyCommand(command);
  if (decision !== 'run' || pipeline === null) return false;
  const bash = await recorder.runInBash(command);
  const hardened = hardenPipeline(bash.argv);
  expect({ command, ...bash, argv: hardened }).toEqual({
    command,
    argv: { pipeline },
    error: '',
    code: 0,
    left: [],
  });
  for (const [name = ''] of bash.argv) expect(Object.keys(PROGRAMS)).toContain(name);
  return true;
}

describe('a command that runs without an approval', () => {
  it('has the same meaning in bash, for everyday commands', async () => {
    for (const command of everyday) await compare(command);
    expect(safe.length).toBeGreaterThan(40);
  });

  it('is none of the known commands that evade an allow list', async () => {
    for (const command of hostile) expect(await compare(command)).toBe(false);
  });

  it(
    'keeps its meaning in bash with random text inserted anywhere',
    async () => {
      let ran = 0;
      const piece = fc.oneof(fc.constantFrom(...pieces.harmless), fc.constantFrom(...pieces.meaning));
      const change = fc.record({ at: fc.nat(), cut: fc.constantFrom(0, 0, 0, 1, 3), piece });
      const mutation = fc.record({
        command: fc.oneof({ arbitrary: fc.constantFrom(...safe), weight: 3 }, fc.constantFrom(...seeds)),
        edits: fc.array(change, { minLength: 1, maxLength: 2 }),
      });
      await fc.assert(
        fc.asyncProperty(mutation, async ({ command, edits }) => {
          ran += (await compare(edits.reduce(edit, command))) ? 1 : 0;
        }),
        { numRuns: 2000, seed: 1981, endOnFailure: true },
      );
      expect(ran).toBeGreaterThan(200); // enough of them are still safe for the comparison to mean something
    },
    MANY_PROCESSES_MS,
  );

  it(
    'keeps its meaning in bash however its arguments are quoted',
    async () => {
      let ran = 0;
      const text = fc.string({ unit: fc.constantFrom(...SHELL_CHARACTERS), minLength: 1, maxLength: 12 });
      const quoting = fc.constantFrom<Quoting[]>('bare', 'single', 'double', 'backslash');
      const word = fc.tuple(text, quoting).map(([value, how]) => quoteWord(value, how));
      await fc.assert(
        fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), fc.boolean(), async (words, piped) => {
          ran += (await compare(`echo ${words.join(' ')}${piped ? ' | wc -l' : ''}`)) ? 1 : 0;
        }),
        { numRuns: 400, seed: 7, endOnFailure: true },
      );
      expect(ran).toBeGreaterThan(50);
    },
    MANY_PROCESSES_MS,
  );
});

describe('the comparison of commands with bash', () => {
  it('detects a pattern, a redirection and another program of bash', async () => {
    expect((await recorder.runInBash('echo {a,b}')).argv).toEqual([['echo', 'a', 'b']]);
    expect((await recorder.runInBash('echo a | wc -l')).argv).toEqual([
      ['echo', 'a'],
      ['wc', '-l'],
    ]);
    expect((await recorder.runInBash('touch x')).error).toContain('not found');
  });
});

function edit(command: string, { at, cut, piece }: { at: number; cut: number; piece: string }): string {
  const index = at % (command.length + 1);
  return command.slice(0, index) + piece + command.slice(index + cut);
}
