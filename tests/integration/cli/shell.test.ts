import { describe, expect, it } from 'vitest';
import { openTerminal } from './terminal.ts';

/** The result lines of `shell explain --jsonl` for these lines, with neither database nor Redis. */
async function explain(...lines: readonly string[]) {
  const { code, out } = await openTerminal({}, lines)('shell', 'explain', '--jsonl');
  const results = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>); // the command promises objects
  return { code, results };
}

describe('signalbox shell explain', () => {
  it('tells which commands would run, need approval or be denied, without a database', async () => {
    const { code, results } = await explain(
      JSON.stringify({ id: 'a', command: 'ls -la | wc -l' }),
      JSON.stringify({ id: 'b', cat: 'other fields may stand there', command: 'ls > out' }),
      JSON.stringify({ command: 'rm -rf /' }),
    );
    expect(code).toBe(0);
    expect(results[0]).toEqual({
      id: 'a',
      decision: 'run',
      reason: 'It only reads (ls, wc).',
      pipeline: [
        ['ls', '-la'],
        ['wc', '-l'],
      ],
      risk: 'safe',
      programs: ['ls', 'wc'],
    });
    expect(results[1]).toMatchObject({ id: 'b', decision: 'ask', pipeline: null });
    expect(results[2]).toMatchObject({ decision: 'deny', pipeline: null, risk: 'dangerous' });
  });

  it('answers input lines in order, and answers an invalid line with the expected format', async () => {
    const long = JSON.stringify({ command: `ls ${'a'.repeat(100_000)}` });
    const { code, results } = await explain('{"command":"date"}', 'nonsense', '{"cmd":1}', long, '{"command":""}');
    expect(code).toBe(1);
    expect(results).toHaveLength(5);
    expect(results[0]).toMatchObject({ decision: 'run', pipeline: [['date']] });
    expect(results[1]).toMatchObject({ line: 2, error: expect.stringContaining('no JSON') as string });
    expect(results[2]).toMatchObject({ line: 3, error: expect.stringContaining('command') as string });
    expect(results[3]).toMatchObject({ decision: 'ask', reason: expect.stringContaining('longer') as string });
    expect(results[4]).toMatchObject({ decision: 'ask' });
  });

  it('decides for the server that the input line names, and lists the known servers', async () => {
    const { code, results } = await explain(
      '{"command":"ls -la","place":"workspace"}',
      '{"command":"ls -la","place":"server"}',
      '{"command":"df -h","place":"server"}',
      '{"command":"df -h","place":"cloud"}',
    );
    expect(code).toBe(1);
    expect(results.slice(0, 3).map(({ decision }) => decision)).toEqual(['run', 'ask', 'run']);
    expect(results[3]).toEqual({
      line: 4,
      error: 'place: write "workspace" or "server". Write {"command": "ls -la", "place": "workspace"}.',
    });
  });

  it('accepts the command as a command-line argument', async () => {
    const { code, out } = await openTerminal({})('shell', 'explain', 'tail -n 5 app.log');
    expect(code).toBe(0);
    expect(out).toContain('decision  run');
    expect(out).toContain('["tail","-n","5","app.log"]');
  });

  it('prints its usage when it gets no command', async () => {
    const { code, error } = await openTerminal({})('shell', 'explain');
    expect(code).toBe(2);
    expect(error).toContain('shell explain --jsonl');
  });
});
