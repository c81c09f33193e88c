import { describe, expect, it } from 'vitest';
import { openTerminal } from './terminal.ts';

/** The result lines of `plan explain --jsonl` for these lines, with neither database nor Redis. */
async function explain(...lines: readonly string[]) {
  const { code, out, error } = await openTerminal({}, lines)('plan', 'explain', '--jsonl');
  const results = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>); // the command promises objects
  return { code, error, results };
}

const NAMES = { names: { project: ['shop', 'blog'], server: ['local'] } };

describe('signalbox plan explain', () => {
  it('prints the tool and its arguments for a sentence, without a database', async () => {
    const request = { id: 7, text: 'allocate a port for shop', context: NAMES };
    const { code, results } = await explain(JSON.stringify(request));
    expect(code).toBe(0);
    expect(results).toEqual([
      {
        id: 7,
        tool: 'allocate_port',
        arguments: { project: 'shop', server: 'local' },
        question: null,
        reason: 'Would call allocate_port; nothing is missing.',
        calls: [{ tool: 'allocate_port', arguments: { project: 'shop', server: 'local' } }],
        shortlist: [],
      },
    ]);
  });

  it('recognizes the project, server and version names that the input line provides', async () => {
    const names = { projects: ['site'], servers: ['local'], versions: { site: ['s1', 's2'] } };
    const { results } = await explain(JSON.stringify({ text: 'deploy site s1 to staging', ...names }));
    expect(results[0]).toMatchObject({
      calls: [{ tool: 'trigger_deploy', arguments: { project: 'site', environment: 'staging', version: 's1' } }],
      shortlist: [],
    });
  });

  it('proposes no call for an ambiguous sentence, and lists the possible calls', async () => {
    const { results } = await explain(JSON.stringify({ text: 'stop site nicht in staging', projects: ['site'] }));
    expect(results[0]).toMatchObject({ tool: 'stop_service', calls: [] });
    expect(results[0]?.['shortlist']).toContainEqual({
      tool: 'stop_service',
      arguments: { project: 'site', environment: 'staging' },
      label: 'Stop site in staging',
    });
  });

  it('asks for a missing argument, and takes its value from the next line', async () => {
    const question = { tool: 'allocate_port', argument: 'project', arguments: {} };
    const messages = [
      { from: 'person', text: 'I need a port' },
      { from: 'signalbox', text: 'Which project do you mean?' },
    ];
    const { results } = await explain(
      JSON.stringify({ text: 'I need a port', context: NAMES }),
      JSON.stringify({ text: 'blog', context: { ...NAMES, messages, question } }),
    );
    expect(results[0]).toMatchObject({ tool: 'allocate_port', question: 'Which project do you mean?', calls: [] });
    expect(results[1]).toMatchObject({
      tool: 'allocate_port',
      arguments: { project: 'blog', server: 'local' },
      question: null,
    });
  });

  it('answers input lines in order, and answers an invalid line with the expected format', async () => {
    const { code, results } = await explain('{"text":"list the projects"}', 'nonsense', '{"txt":1}', '{"text":"help"}');
    expect(code).toBe(1);
    expect(results).toHaveLength(4);
    expect(results[0]).toMatchObject({ tool: 'list_projects' });
    expect(results[1]).toMatchObject({ line: 2, error: expect.stringContaining('no JSON') as string });
    expect(results[2]).toMatchObject({ line: 3, error: expect.stringContaining('text') as string });
    expect(results[3]).toMatchObject({ tool: null, question: null, calls: [] });
  });

  it('accepts the sentence as a command-line argument', async () => {
    const { code, out } = await openTerminal({})('plan', 'explain', 'list the projects');
    expect(code).toBe(0);
    expect(out).toContain('calls list_projects {}');
  });

  it('prints its usage when it gets no sentence', async () => {
    const { code, error } = await openTerminal({})('plan', 'explain');
    expect(code).toBe(2);
    expect(error).toContain('plan explain --jsonl');
  });
});
