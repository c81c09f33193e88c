import { readFileSync } from 'node:fs';
import diagnose from '@signalbox/worker/capabilities/diagnose';
import workspace from '@signalbox/worker/capabilities/workspace';
import { classifyCommand } from '@signalbox/shared/shell/classification';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const read = (name: string): readonly string[] =>
  readFileSync(new URL(`../fixtures/shell/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
/** The command of each line; a case is told by its number because one of them is very long. */
const readCommands = (name: string): readonly string[] =>
  read(name).map((line) => (JSON.parse(line) as { command: string }).command); // written for this test

const bypasses = readCommands('bypass.jsonl');
const everyday = readCommands('everyday.jsonl');

describe('commands that get around a list', () => {
  it('never run unasked', () => {
    const run = bypasses.filter((command) => classifyCommand(command).decision === 'run');
    expect(run).toEqual([]);
    expect(bypasses).toHaveLength(247);
  });

  it.each(read('own-bypasses.txt'))('never run unasked: %s', (command) => {
    const { decision, pipeline, reason } = classifyCommand(command);
    expect(decision).not.toBe('run');
    expect(pipeline).toBeNull();
    expect(reason).toMatch(/^.+\.$/);
  });
});

describe('the tools that run commands', () => {
  it.each([
    ['run_command', workspace, {}],
    ['run_diagnostic', diagnose, { server: 'local' }],
  ] as const)('%s asks a person about what the list does not know, and about nothing else', (name, { tools }, more) => {
    const risk = (command: string) => tools[name]?.risk({ ...more, command }).risk;
    for (const command of [...bypasses, ...read('own-bypasses.txt'), ...everyday].filter((one) => one.trim() !== '')) {
      expect([command, risk(command)]).toEqual([
        command,
        classifyCommand(command).decision === 'run' ? 'safe' : 'dangerous',
      ]);
    }
    expect(risk('ps aux | grep node | wc -l')).toBe('safe');
    expect(risk('ps aux | xargs kill')).toBe('dangerous');
  });
});

describe('commands of everyday', () => {
  it('run unasked, three of four', () => {
    const run = everyday.filter((command) => classifyCommand(command).decision === 'run');
    expect(run.length / everyday.length).toBeGreaterThanOrEqual(0.7);
  });

  it('are never refused, and whoever is asked is told why', () => {
    for (const command of everyday) {
      const { decision, reason } = classifyCommand(command);
      expect(decision).not.toBe('deny');
      expect(reason).toMatch(/^[^\n]{10,200}\.$/);
    }
  });
});

describe('any text at all', () => {
  const shellLike = fc.string({
    unit: fc.constantFrom(...`abls -|&;<>()$\`"'\\*?[]{}~!#=%/.\n\t\0\x7f é\u2028\ud83d`.split('')),
    maxLength: 200,
  });

  it('gets a decision and a sentence, and the same one again', () => {
    fc.assert(
      fc.property(fc.oneof(shellLike, fc.string({ unit: 'binary', maxLength: 300 })), (command) => {
        const first = classifyCommand(command);
        expect(first.reason).not.toBe('');
        expect(first.reason).not.toContain('\n');
        expect(first.pipeline === null).toBe(first.decision !== 'run');
        expect(classifyCommand(command)).toEqual(first);
      }),
      { numRuns: 300, seed: 20 },
    );
  });

  it.each([
    '(',
    '$(',
    '"$(',
    '`',
    '{ ',
    '|',
    'a|',
    '\\',
    "'",
    '"',
    '<<a ',
    'if ',
    '${a:-',
    '((',
    'f(){ ',
    '!',
    '[[ ',
    'case x in x)',
  ])('is answered, also when %s stands there a thousand times', (piece) => {
    for (const length of [4000, 100_000]) {
      const command = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
      expect(classifyCommand(command).decision).not.toBe('run');
    }
  });
});
