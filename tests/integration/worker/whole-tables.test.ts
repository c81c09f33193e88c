import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { textOf } from '@signalbox/models/message-text';
import type { ModelScript } from '@signalbox/models/scripted';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

/** What other people have left, in each table that grows with use. */
const ROWS = 5_000;

const script: ModelScript = (messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'shop', capabilities: ['project_management'], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const last = messages.findLastIndex(HumanMessage.isInstance);
  const [verb, name = ''] = textOf(messages[last] ?? new HumanMessage('')).split(' ');
  if (verb === 'hello' || messages.slice(last).some(ToolMessage.isInstance)) return { content: 'There you are.' };
  return verb === 'read'
    ? { toolCalls: [{ name: 'get_project_status', args: { project: name } }] }
    : { toolCalls: [{ name: 'create_project_intent', args: { name, description: 'a project' } }] };
};

describe('among what others have left', () => {
  let bench: WorkerBench;
  beforeAll(async () => {
    bench = await openWorkerBench();
    for (const person of ['6', '7', '8']) await bench.addPerson(person, 'developer');
    const fill = (text: string): Promise<unknown> => bench.pool.query(`${text} from generate_series(1, ${ROWS}) n`);
    await fill(`insert into users (user_key, channel, name, role) select 'u' || n, 'telegram', 'P', 'developer'`);
    await fill(
      `insert into projects (name, description, owner, action_id) select 'service-' || n, 'a project', '7', 'act_' || n`,
    );
    await fill(
      `insert into threads (thread_id, user_key, n, chat_key, agent) select 't' || n, 'u' || n, 1, 'c', 'product_owner'`,
    );
    await fill(`insert into turns (turn_id, thread_id, user_key, epoch, worker, trace_id, outcome, started_at)
                select 'turn_' || n, 't' || n, 'u' || n, 1, 'w', 'tr', 'answered', now()`);
    await fill(`insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, started_at, settled_at)
                select 'act_' || n, 'turn_' || n, 't' || n, 'u' || n, 'create_project_intent', '{}', 1, 'done', now(), now()`);
    await fill(`insert into execution_turns (turn_id, pass, thread_id, user_key, context_hash, record, record_hash)
                select 'turn_' || n, 0, 't' || n, 'u' || n, '', '{}', ''`);
    await fill(`insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
                select 'telegram', '1', 'x' || n, 'u' || n, 'c' || n, 'message', '{}', 'tr', 'answered'`);
    await fill(`insert into outbox (key, chat_key, user_key, trace_id, priority, body, status)
                select 'x' || n, 'c' || n, 'u' || n, 'tr', 1, '{}', 'sent'`);
    await fill(`insert into runs (run_id, job, payload, trace_id, status) select 'act_' || n, 'x', '{}', 'tr', 'done'`);
    await fill(`insert into audit_events (kind, actor, data) select 'x.y', 'u' || n, '{}'`);
    await bench.pool.query('analyze');
    await bench.startWorker({ script });
  });
  afterAll(() => bench.close());

  it('a turn without a tool, one that reads and one that changes something read no table whole', async () => {
    await bench.ask('6', 'hello'); // what is read once per process is read by now
    await bench.settle();
    const before = await rowsScanned(bench);
    await bench.ask('6', 'hello');
    await bench.ask('7', 'read service-4000');
    await bench.ask('8', 'write hat-shop');
    await bench.settle();
    const after = await rowsScanned(bench);
    const whole = Object.entries(after).filter(([table, rows]) => rows - (before[table] ?? 0) >= ROWS);
    expect(whole).toEqual([]);
    const { rows } = await bench.pool.query(
      `select user_key, status from actions where user_key in ('7', '8') order by 1`,
    );
    expect(rows).toEqual([
      { user_key: '7', status: 'done' },
      { user_key: '8', status: 'done' },
    ]);
  });
});

/** How many rows were read of each table without an index, by everybody and so far. */
async function rowsScanned({ pool }: WorkerBench): Promise<Readonly<Record<string, number>>> {
  // A connection reports what it read at the end of a transaction, and no more than once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await pool.query<{ relname: string; rows: string }>(
    'select relname, seq_tup_read as rows from pg_stat_user_tables',
  );
  return Object.fromEntries(rows.map(({ relname, rows: read }) => [relname, Number(read)]));
}
