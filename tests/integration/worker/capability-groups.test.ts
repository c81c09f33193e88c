import { ToolMessage } from '@langchain/core/messages';
import { readThreadsWithTurns } from '@signalbox/store/governance/execution-turns';
import type { ModelScript } from '../../support/scripted-model.ts';
import { createReplayer } from '@signalbox/worker/replay/replay';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
/** The names of the tools that the model was offered in the first pass of the newest turn. */
let offered: readonly string[];
beforeEach(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('7', 'admin');
  await bench.startWorker({ script: helper });
});
afterEach(() => bench.close());

/** Lists the projects when it is asked to, or the graph's nodes; loads the group first when it is not there. Else it talks. */
const helper: ModelScript = (messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'projects', capabilities: ['project_management'], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const start = messages.findLastIndex((message) => message.getType() === 'human');
  const since = messages.slice(start + 1);
  const names = tools.map(({ name }) => name);
  if (since.length === 0) offered = names;
  const [tool, group] = WANTED.find(([, , words]) => messages[start]?.text.includes(words)) ?? [];
  if (tool === undefined || since.some((message) => ToolMessage.isInstance(message) && message.name === tool))
    return { content: 'Here you are.' };
  if (names.includes(tool)) return { toolCalls: [{ name: tool, args: {} }] };
  return { toolCalls: [{ name: 'request_capabilities', args: { capabilities: [group], reason: 'to look' } }] };
};

const WANTED = [
  ['list_projects', 'project_management', 'projects'],
  ['list_graph_nodes', 'admin', 'nodes'],
] as const;

const ask = (text: string): Promise<readonly string[]> => bench.ask('7', text);

async function unloaded(): Promise<unknown[]> {
  const { rows } = await bench.pool.query<{ data: unknown }>(
    `select data from audit_events where kind = 'capability.unloaded' order by event_id`,
  );
  return rows.map(({ data }) => data);
}

/** How each turn came out when it was gone through again. */
async function replayed(): Promise<readonly string[]> {
  const replay = await createReplayer(bench.pool, []);
  const kinds: string[] = [];
  for await (const threadId of readThreadsWithTurns(bench.pool))
    for await (const { kind } of replay.thread(threadId)) kinds.push(kind);
  return kinds;
}

describe('a loaded capability group', () => {
  it('is unloaded after three turns without use, loaded again when needed, and its turns replay the same', async () => {
    await ask('which projects are there');
    for (const text of ['hm', 'well', 'so']) {
      await ask(text);
      expect(offered).toContain('list_projects');
    }
    await ask('and now');
    expect(offered).toContain('request_capabilities');
    expect(offered).not.toContain('list_projects');
    expect(await unloaded()).toEqual([{ groups: ['project_management'], reason: 'not used' }]);
    await ask('which projects are there');
    await ask('fine');
    expect(offered).toContain('list_projects');
    expect(await replayed()).toEqual(Array(7).fill('same'));
  });

  it('stays loaded as long as it is used', async () => {
    for (const text of ['which projects', 'hm', 'well', 'which projects', 'hm', 'well', 'so']) await ask(text);
    expect(offered).toContain('list_projects');
    expect(await unloaded()).toEqual([]);
  });

  it('is unloaded at once for a person who may no longer load it', async () => {
    await ask('which projects are there');
    await ask('show the nodes');
    await ask('fine');
    expect(offered).toEqual(expect.arrayContaining(['list_graph_nodes', 'list_projects']));
    await bench.pool.query(`update users set role = 'developer' where user_key = '7'`);
    await ask('fine');
    expect(offered).toContain('list_projects');
    expect(offered).not.toContain('list_graph_nodes');
    expect(await unloaded()).toMatchObject([{ groups: ['admin'], rule: 'admins-load-admin' }]);
    expect(await replayed()).toEqual(Array(4).fill('same'));
  });
});
