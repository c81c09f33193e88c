/*
 * What the pipeline adds for one person, without model time: from the moment at which the simulated Telegram has a message to the
 * moment at which sendMessage arrives there. Given as a ratio to one Postgres commit and to one bare run of the same graph
 * (no checkpoints, no pipeline), all measured in this one process and run.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { buildGraph } from '@signalbox/worker/agents/product-owner/graph';
import type { RunExtras } from '@signalbox/worker/agents/product-owner/parts';
import { createScriptedModels, type ModelScript } from '../support/scripted-model.ts';
import { openPool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { openBenchStack } from '../support/bench-stack.ts';

const ROUNDS = 300;
const WARM_UP = 60;
const TURNS_PER_THREAD = 5;

/** The shape of a usual turn: one tool call, then the answer. */
const script: ModelScript = (messages, tools) => {
  if (tools.some((tool) => tool.name === 'classify_intent')) {
    return {
      toolCalls: [
        {
          name: 'classify_intent',
          args: { task_summary: 'list', capabilities: ['project_management'], project: null },
        },
      ],
    };
  }
  const lastHuman = messages.findLastIndex(HumanMessage.isInstance);
  const answered = messages.slice(lastHuman).some(ToolMessage.isInstance);
  return answered
    ? { content: `Here is the answer. ${'x'.repeat(280)}` }
    : { toolCalls: [{ name: 'list_projects', args: {} }] };
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

const dir = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const stack = await openBenchStack(dir, script);
try {
  const pipeline: number[] = [];
  const commits: number[] = [];
  const bare: number[] = [];
  const pool = openPool(stack.databaseUrl, createLog('bench', 'silent'), { name: 'bench', max: 1, as: 'owner' });
  await pool.query('create table bench_commit (body bytea)');
  const runBare = bareGraph();
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Taken in turns, so that whatever else the machine does falls on all three alike.
    // A short conversation each time: what long ones cost is another question.
    if (round % TURNS_PER_THREAD === 0) await pool.query(`update threads set status = 'closed' where status = 'open'`);
    const a = await stack.roundTrip();
    const b = await timed(() =>
      pool.query({ name: 'commit', text: 'insert into bench_commit values ($1)', values: [Buffer.alloc(2_000)] }),
    );
    const c = await timed(runBare);
    if (round < 0) continue;
    pipeline.push(a);
    commits.push(b);
    bare.push(c);
  }
  await pool.end();
  const row = (name: string, values: readonly number[]): Record<string, string> => ({
    what: name,
    'median ms': median(values).toFixed(2),
    'p95 ms': p95(values).toFixed(2),
  });
  console.table([
    row('update → sendMessage', pipeline),
    row('one Postgres commit', commits),
    row('bare graph run', bare),
  ]);
  console.log(
    `update → sendMessage: ${(median(pipeline) / median(bare)).toFixed(2)} × the bare graph, ${(median(pipeline) / median(commits)).toFixed(1)} × one commit`,
  );
} finally {
  await stack.close();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The same graph and model with a tool that answers from memory: what LangGraph itself costs. */
function bareGraph(): () => Promise<unknown> {
  const model = createScriptedModels(script).of('product_owner', 'product_owner');
  const list = { name: 'list_projects', description: 'List the projects.', schema: { type: 'object', properties: {} } };
  const result = { ok: true, result: { projects: [] }, say: 'none', code: null, changed: false };
  const graph = buildGraph(
    {
      registry: {
        catalog: { groups: [] },
        definitions: () => [list],
        offer: () => [list],
        sort: (names) => ({ installed: names, missing: [], unknown: [] }),
      },
      others: [],
      maxPasses: 20,
      model: () => model,
      readResult: () => Promise.reject(new Error('nothing is read again here')),
      search: () => Promise.resolve(result),
    },
    undefined,
  );
  const extras: RunExtras = {
    names: () => Promise.resolve({}),
    offered: () => Promise.resolve([]),
    context: () => Promise.resolve(null),
    cameOf: () => Promise.resolve({}),
    run: {
      turnId: 't',
      threadId: 't',
      traceId: 't',
      chatKey: 'c',
      actor: { userKey: '1', name: 'x', role: 'admin' },
      signal: new AbortController().signal,
      answerId: (turnKey, pass) => `${turnKey}_${pass}`,
      call: () => Promise.resolve(result),
      enter: () => undefined,
      path: () => ['THINKING', 'PROPOSING'],
      load: (groups) => Promise.resolve({ allowed: groups, refused: [] }),
      reader: () => ({ userKey: '1001', chatKey: null, mayRead: () => false }),
      offer: (groups) => Promise.resolve(groups),
      keep: (groups) => Promise.resolve(groups),
      judge: () => Promise.resolve('continue'),
      say: () => Promise.resolve(),
      draft: () => undefined,
      reads: () => Promise.resolve(),
      spent: () => undefined,
    },
    turnKey: 't',
    recorded: { turnId: 't', came: 1, actor: { userKey: '1', name: 'x', role: 'admin' } },
    turnStart: (messages: readonly BaseMessage[]) => messages.length,
  };
  return () =>
    graph.invoke(
      { messages: [new HumanMessage({ id: randomUUID(), content: 'list the projects' })] },
      { configurable: { extras } },
    );
}
