import { ToolMessage } from '@langchain/core/messages';
import { readThreadsWithTurns } from '@signalbox/store/governance/execution-turns';
import type { ModelScript } from '../../support/scripted-model.ts';
import { createReplayer } from '@signalbox/worker/replay/replay';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
/** The names of the tools that the model was offered in the first pass of the newest turn. */
let offered: readonly string[];
/** The rules that the model was given, and the newest result of a tool. */
let [rules, result] = ['', ''];
beforeEach(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('7', 'admin');
  await bench.startWorker({ script: helper });
});
afterEach(() => bench.close());

/** Lists the snapshots when it is asked to, or the graph's nodes; loads the group first when it is not there. Else it talks. */
const helper: ModelScript = (messages, tools) => {
  const start = messages.findLastIndex((message) => message.getType() === 'human');
  const since = messages.slice(start + 1);
  const names = tools.map(({ name }) => name);
  if (since.length === 0) offered = names;
  rules = messages[0]?.text ?? '';
  result = since.findLast(ToolMessage.isInstance)?.text ?? '';
  const [tool, group] = WANTED.find(([, , words]) => messages[start]?.text.includes(words) === true) ?? [];
  if (tool === undefined || since.some((message) => ToolMessage.isInstance(message) && message.name === tool))
    return { content: 'Here you are.' };
  if (names.includes(tool) || messages[start]?.text.includes('at once') === true)
    return { toolCalls: [{ name: tool, args: {} }] };
  return { toolCalls: [{ name: 'request_capabilities', args: { capabilities: [group], reason: 'to look' } }] };
};

const WANTED = [
  ['list_snapshots', 'repository', 'snapshots'],
  ['list_graph_nodes', 'admin', 'nodes'],
] as const;

const ask = (text: string): Promise<readonly string[]> => bench.ask('7', text);

async function listEvents(kind: string): Promise<unknown[]> {
  const { rows } = await bench.pool.query<{ data: unknown }>(
    `select data from audit_events where kind = $1 order by event_id`,
    [kind],
  );
  return rows.map(({ data }) => data);
}
const loaded = (): Promise<unknown[]> => listEvents('capability.loaded');
const unloaded = (): Promise<unknown[]> => listEvents('capability.unloaded');

/** How each turn came out when it was gone through again. */
async function replayed(): Promise<readonly string[]> {
  const replay = await createReplayer(bench.pool, []);
  const kinds: string[] = [];
  for await (const threadId of readThreadsWithTurns(bench.pool))
    for await (const { kind } of replay.thread(threadId)) kinds.push(kind);
  return kinds;
}

describe('a loaded capability group', () => {
  it('stays for the conversation behind the everyday tools, in the order of loading', async () => {
    await ask('hello');
    const everyday = offered;
    expect(everyday.slice(0, 2)).toEqual(['respond_to_user', 'search_knowledge']);
    expect(everyday).toContain('list_projects');
    await ask('show the snapshots');
    await ask('show the nodes');
    for (const text of ['hm', 'well', 'so', 'and now']) await ask(text);
    expect(offered.slice(0, everyday.length)).toEqual(everyday);
    const added = offered.slice(everyday.length);
    expect(added[0]).toBe('scan_for_secrets');
    expect(added.at(-1)).toBe('clear_project_state');
    expect(added.indexOf('list_snapshots')).toBeLessThan(added.indexOf('list_graph_nodes'));
    expect(await unloaded()).toEqual([]);
    expect(await replayed()).toEqual(Array(7).fill('same'));
  });

  it('is loaded by a call of one of its tools, and its summary is shown only to people who may load it', async () => {
    await ask('call list_snapshots at once');
    expect(await loaded()).toEqual([{ groups: ['repository'] }]);
    expect(rules).toContain('- repository:');
    await bench.pool.query(`update users set role = 'viewer' where user_key = '7'`);
    await ask('call list_snapshots at once');
    expect(result).toMatch(/POLICY_DENIED.*Viewers may load only/);
    expect(rules).not.toMatch(/- (repository|admin|workspace):/);
    expect(offered).not.toContain('read_file');
    expect(await replayed()).toEqual(Array(2).fill('same'));
  });

  it('is unloaded at once for a person who may no longer load it', async () => {
    await ask('show the snapshots');
    await ask('show the nodes');
    await ask('fine');
    expect(offered).toEqual(expect.arrayContaining(['list_graph_nodes', 'list_snapshots']));
    await bench.pool.query(`update users set role = 'developer' where user_key = '7'`);
    await ask('fine');
    expect(offered).toContain('list_snapshots');
    expect(offered).not.toContain('list_graph_nodes');
    expect(await unloaded()).toMatchObject([{ groups: ['admin'], rule: 'admins-load-admin' }]);
    expect(await replayed()).toEqual(Array(4).fill('same'));
  });
});
