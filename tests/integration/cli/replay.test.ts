import type { ModelScript } from '../../support/scripted-model.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';
import { openTerminal } from './terminal.ts';

const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
/** What the model was given, question by question. */
const seen: string[] = [];

/** Lists the projects, then answers. */
const lister: ModelScript = (messages) => {
  seen.push(JSON.stringify(messages));
  if (messages.at(-1)?.getType() === 'tool') return { content: 'There is none.' };
  const reasoning = `They want a list; the key ${SECRET} is none of my business.`;
  return { toolCalls: [{ name: 'list_projects', args: {} }], kwargs: { reasoning } };
};

describe('signalbox replay and turns', () => {
  let bench: WorkerBench;
  let terminal: ReturnType<typeof openTerminal>;
  let turnIds: string[];

  beforeAll(async () => {
    bench = await openWorkerBench();
    terminal = openTerminal({ DATABASE_URL: bench.databaseUrl, REDIS_URL: bench.redisUrl });
    await bench.addPerson('7', 'developer');
    await bench.startWorker({ script: lister });
    for (const text of ['which projects', 'and now']) await bench.ask('7', text);
    const { rows } = await bench.pool.query<{ turn_id: string }>('select turn_id from turns order by ended_at');
    turnIds = rows.map((row) => row.turn_id);
  });
  afterAll(() => bench.close());

  it('replays one turn, all turns of a conversation, or all turns in the database', async () => {
    const [first, second] = turnIds as [string, string];
    const one = await terminal('replay', first);
    expect(one).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`${first}  same`)) as string });
    expect(one.out).not.toContain(second);
    expect((await terminal('replay', 'user_7_1')).out).toMatch(/2 turns came out the same, 0 differently/);
    const all = await terminal('replay', 'all', '--jsonl');
    const lines = all.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { turnId: first, kind: 'same' },
      { turnId: second, kind: 'same' },
    ]);
    expect(await terminal('replay', 'turn_nobody_had')).toMatchObject({ code: 1 });
  });

  it('shows a turn pass by pass, with policy decisions and tool results', async () => {
    const { code, out } = await terminal('turns', 'show', turnIds[0] ?? '');
    expect(code).toBe(0);
    expect(out).toMatch(/▸ which projects/);
    expect(out).toMatch(
      /pass 1 {2}analyze ▸ tool_decision ▸ policy_check ▸ execute {2}→ continue\n {4}phases THINKING ▸ PROPOSING ▸ GOVERNING ▸ EXECUTING ▸ OBSERVING ▸ EVALUATING/,
    );
    expect(out).toMatch(/list_projects \{\}\n +run by [\w-]+, score 0\.1, risk safe/);
    expect(out).toMatch(/ok, \d+ ms/);
    expect(out).toMatch(/pass 2 {2}analyze ▸ respond\n {4}phases THINKING\n[\s\S]*said There is none\./);
  });

  it('shows the reasons that the model gave without secrets, and sends them to no model', async () => {
    const { out } = await terminal('turns', 'show', turnIds[0] ?? '');
    expect(out).toMatch(/because They want a list; the key \S+ is none of my business\.\n {4}list_projects/);
    const { rows } = await bench.pool.query<{ record: string }>('select record::text from execution_turns');
    expect(rows.filter(({ record }) => record.includes('They want a list'))).toHaveLength(2);
    expect(rows.filter(({ record }) => record.includes(SECRET))).toEqual([]);
    expect(seen.filter((messages) => messages.includes('They want a list'))).toEqual([]);
  });

  it('shows calls that only read among the actions of a conversation', async () => {
    const { code, out } = await terminal('threads', 'show', 'user_7_1');
    expect(code).toBe(0);
    expect(out.match(/list_projects +done/g)).toHaveLength(2);
  });

  it('fails when a replayed turn differs, and says where', async () => {
    await bench.pool.query(
      `update execution_turns set record = replace(record::text, 'There is none', 'There are two')::json where turn_id = $1 and pass = 2`,
      [turnIds[1]],
    );
    const { code, out } = await terminal('replay', 'all');
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`${turnIds[1]}  DIFFERENT in pass 2: record; recorded [0-9a-f]{64}`));
  });
});
