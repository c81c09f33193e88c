import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import deploy from '@signalbox/worker/capabilities/deploy';
import workspace from '@signalbox/worker/capabilities/workspace';
import { READ_DEFAULTS, tool, toolGroup } from '@signalbox/worker/tools/tool';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import type { Person } from '../support/person.ts';
import { createScriptedModels, type ScriptedAnswer } from '../support/scripted-model.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const sandbox = await locateTestSandbox('commands with long outputs');

const LINES = Array.from(
  { length: 700 },
  (_, at) => `10.0.0.${at % 7} "GET /tea/${at}?q=${at * 7919}" 200 чай ${at} ms`,
);
const list = tool({
  describe: 'List many lines.',
  hints: ['list many lines'],
  input: z.object({}),
  ...READ_DEFAULTS,
  deadlineMs: 5_000,
  run: () => Promise.resolve({ lines: LINES }),
  phrases: { done: () => 'Many lines.' },
}).from({ lines: 'outside' });
const group = toolGroup({ name: 'test', summary: 'Long lists.', uses: [], tools: { list } });

const CALLS: Readonly<Record<string, { readonly name: string; readonly args: Readonly<Record<string, unknown>> }>> = {
  list: { name: 'list', args: {} },
  count: { name: 'run_command', args: { command: 'seq 1 3000' } },
  build: { name: 'get_deploy_logs', args: { project: 'shop', lines: 500 } },
};

const results: ToolMessage[] = [];
let stack: Stack;
let developer: Person;
let other: Person;

function answer(messages: readonly BaseMessage[]): ScriptedAnswer {
  const last = messages.at(-1);
  if (ToolMessage.isInstance(last)) {
    results.push(last);
    return { content: 'Noted.' };
  }
  const words = HumanMessage.isInstance(last) ? last.text : '';
  const [, handle, from] = /^read (\S+) (\d+)/.exec(words) ?? [];
  if (handle) return { toolCalls: [{ name: 'read_result', args: { handle, from: Number(from) } }] };
  const call = CALLS[words];
  return call ? { toolCalls: [call] } : { content: 'Hello.' };
}

beforeAll(async () => {
  const models = createScriptedModels((messages, tools) =>
    tools.some(({ name }) => name === 'classify_intent')
      ? {
          toolCalls: [
            {
              name: 'classify_intent',
              args: { task_summary: 'list', capabilities: ['test', 'workspace', 'deploy'], project: null },
            },
          ],
        }
      : answer(messages),
  );
  stack = await openStack({
    jobs: true,
    env: { ...sandbox?.settings, WORKSPACE_DIR: join(makeTemporaryFolder('long-results'), 'workspaces') },
    wiring: { groups: [group, workspace, deploy], models: () => Promise.resolve(models) },
  });
  developer = await stack.person(1002, 'developer');
  other = await stack.person(1003, 'operator');
}, 60_000);
afterAll(() => stack.close());

interface Told {
  readonly ok: boolean;
  readonly error?: string;
  readonly result: {
    readonly lines: unknown;
    readonly output: string;
    readonly content: { outside: string; text: string[] };
    next_from?: number;
  };
  readonly more?: readonly { readonly rows: string; readonly handle: string }[];
}
const told = (): Told => JSON.parse(results.at(-1)?.text ?? '') as Told;

it('a model reads a long result in parts, by its handle, and each part has at most 2,000 tokens', async () => {
  await developer.ask('list');
  const { result, more } = told();
  const first = (result.lines as { text: string[] }).text;
  expect(result.lines).toEqual(wrapOutside('list', LINES.slice(0, first.length)));
  const handle = more?.[0]?.handle ?? '';
  expect(handle).toBe('res_1');
  const read = [...first];
  for (let from: number | undefined = first.length + 1; from !== undefined;) {
    await developer.ask(`read ${handle} ${from}`);
    const page = told().result;
    expect(page.content.outside).toBe('read_result');
    read.push(...page.content.text);
    from = page.next_from;
  }
  expect(read).toEqual(LINES);
  for (const { text } of results) expect(countTokens(text)).toBeLessThanOrEqual(2_000);
});

it('a handle means nothing in another conversation, nor does an invented one', async () => {
  await other.ask('hello');
  await other.ask('read res_1 1');
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
  await developer.ask('read res_1.__proto__ 1');
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
  await developer.ask("read res_1';-- 1");
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
  await developer.ask('/new');
  await developer.ask('read res_1 1');
  expect(told()).toMatchObject({ ok: false, error: 'NOT_FOUND' });
});

it.skipIf(sandbox === null)(
  'of a long output of a command the model reads the end, where the outcome stands',
  async () => {
    await developer.ask('count');
    const { result, more } = told();
    expect(result.output.trimEnd()).toMatch(/\n2998\n2999\n3000$/);
    expect(more?.[0]?.rows).toMatch(/^(?!1 )\d+ to (\d+) of \1$/);
  },
);

it('of a long build the model reads the end, where it says why it failed', async () => {
  await stack.pool.query(
    `with project as (
       insert into projects (name, description, repository, status, owner, action_id)
       values ('shop', 'Sells tea', 'https://git.example.org/shop', 'active', '1002', 'act_shop') returning name),
     service as (insert into services (project, environment, server) select name, 'staging', 'local' from project),
     deployment as (
       insert into deployments (deployment_id, project, environment, server, driver, kind, ref, state, user_key)
       select 'act_build', name, 'staging', 'local', 'process', 'deploy', '1.0', 'failed', '1002' from project returning deployment_id)
     insert into deployment_lines (deployment_id, n, state, line)
     select deployment_id, n, 'building', 'step ' || n || ' of this build is done' from deployment, generate_series(1, 600) as n`,
  );
  await developer.ask('build');
  const { text } = told().result.lines as { readonly text: readonly string[] };
  expect(text.at(-1)).toBe('step 600 of this build is done');
  expect(text.length).toBeLessThan(500);
});
