import { readFileSync } from 'node:fs';
import { classifyCommand } from '@signalbox/shared/shell/classification';
import { hardenArgv, PROGRAMS } from '@signalbox/shared/shell/programs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createShellRecorder, type ShellRecorder } from '../support/shell-recorder.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Every program is a recorder, in bash as well as in a pipeline without a shell: what both were given is compared word by word.

const read = (name: string): readonly string[] =>
  readFileSync(new URL(`../fixtures/shell/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
const readCommands = (name: string): readonly string[] =>
  read(name).map((line) => (JSON.parse(line) as { command: string }).command); // written for this test

const everyday = readCommands('everyday.jsonl');
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
  const [bash, product] = await Promise.all([recorder.runInBash(command), recorder.runPipeline(pipeline)]);
  const hardened = bash.argv.map((argv) => hardenArgv(argv));
  expect({ command, ...bash, argv: hardened }).toEqual({
    command,
    argv: pipeline.map((argv) => ({ argv })),
    error: '',
    code: 0,
    left: [],
  });
  expect({ command, ...product }).toEqual({ command, argv: pipeline, error: '', code: 0, left: [] });
  for (const [name = ''] of product.argv) expect(Object.keys(PROGRAMS)).toContain(name);
  return true;
}

describe('a command that runs unasked', () => {
  it('is the same to bash, in everyday use', async () => {
    for (const command of everyday) await compare(command);
    expect(safe.length).toBeGreaterThan(40);
  });

  it('is none of those that get around a list', async () => {
    for (const command of hostile) expect(await compare(command)).toBe(false);
  });

  it(
    'stays the same to bash with anything put in anywhere',
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
    'stays the same to bash however its words are quoted',
    async () => {
      let ran = 0;
      const text = fc.string({
        unit: fc.constantFrom(...`ab1 .,:=/@%+-_|&;<>()$\`*?[]{}~!#^\\"'`.split('')),
        minLength: 1,
        maxLength: 12,
      });
      const word = fc.tuple(text, fc.nat(3)).map(([value, style]) => quoteAs(value, style));
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

describe('the comparison itself', () => {
  it('notices what bash makes of a pattern, a redirection and another program', async () => {
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

function quoteAs(value: string, style: number): string {
  if (style === 0) return value;
  if (style === 1) return `'${value.replaceAll("'", String.raw`'\''`)}'`;
  if (style === 2) return `"${value.replace(/["\\$`]/g, String.raw`\$&`)}"`;
  return value.replace(/[^A-Za-z0-9]/g, String.raw`\$&`);
}
