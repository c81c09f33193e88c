import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelServer, type AskedMessage, type ModelServer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

// A model sums up what scans found. It can say nothing that stands on no finding.

let model: ModelServer;
let stack: Stack;
let ada: Person;
let summary: unknown = [];
let asked: readonly AskedMessage[] = [];

beforeAll(async () => {
  model = await startModelServer((messages, tools) => {
    if (tools.includes('classify_intent'))
      return {
        toolCalls: [
          { name: 'classify_intent', args: { task_summary: 'work', capabilities: ['repository'], project: null } },
        ],
      };
    asked = messages;
    if (messages.at(-1)?.role === 'tool') return { content: 'That is the report.' };
    return { toolCalls: [{ name: 'get_findings_report', args: { project: 'shop', summary } }] };
  });
  stack = await openStack({
    env: { MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url },
  });
  ada = await stack.person(1001, 'developer');
  await stack.pool.query(
    `insert into projects (name, description, owner, action_id) values ('shop', 'The tea shop.', '1001', 'act_shop');
     insert into repository_runs (run_id, project, chain, ref, is_dry, status, finished_at)
       values ('run_1', 'shop', 'tech_debt', 'HEAD', false, 'completed', now());
     insert into repository_findings (project, fingerprint, analyzer, rule, severity, path, line, evidence, "values", first_run, first_commit, changed_run)
       values ('shop', repeat('a', 32), 'code', 'code/merge-conflict', 3, 'src/main.ts', 2, '<<<<<<<', '{}', 'run_1', repeat('c', 40), 'run_1')`,
  );
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

const number = async (): Promise<number> =>
  (await stack.pool.query<{ id: number }>(`select finding_id::int as id from repository_findings`)).rows[0]?.id ?? 0;
const reports = async (): Promise<readonly string[]> =>
  (
    await stack.pool.query<{ text: string }>(
      `select convert_from(bytes, 'utf8') as text from artifacts where name like '%.md'`,
    )
  ).rows.map(({ text }) => text);

describe('a scan report with a summary by a model', () => {
  it('is refused when the summary cites a number that is no finding, and no file is made', async () => {
    summary = [{ says: 'The payment code leaks money.', about: [4_711] }];
    await ada.ask('sum up the findings of shop');
    expect(asked.at(-1)?.content).toContain('4711');
    expect(await reports()).toEqual([]);
  });

  it('is refused when a sentence of the summary cites no finding', async () => {
    await ada.ask('/new');
    summary = [{ says: 'All is well.', about: [] }];
    await ada.ask('sum up the findings of shop');
    expect(asked.at(-1)?.content).toMatch(/about/);
    expect(await reports()).toEqual([]);
  });

  it('shows each sentence with its findings and their places, and no markup of the model', async () => {
    await ada.ask('/new');
    const finding = await number();
    summary = [{ says: 'A merge is unfinished.\n# Nothing else\n[click](http://x.dev)', about: [finding] }];
    await ada.ask('sum up the findings of shop');
    const [report = ''] = await reports();
    expect(report).toContain('## Summary\n\nA language model wrote this summary of the findings below.');
    expect(report).toContain(
      `- A merge is unfinished. \\# Nothing else \\[click\\](http://x.dev) (#${finding} \`src/main.ts:2\`)`,
    );
    expect(report).toMatch(/^## Open \(1\)$/m);
  });
});
