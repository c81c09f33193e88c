import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import { readThreadsWithTurns } from '@signalbox/store/governance/execution-turns';
import { AppError } from '@signalbox/contracts/errors';
import type { ModelScript, ScriptedAnswer } from '../../support/scripted-model.ts';
import { createReplayer, type TurnReplay } from '@signalbox/worker/replay/replay';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sampleParts } from '../../support/samples.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

const results = (messages: readonly BaseMessage[]): string[] =>
  messages.filter(ToolMessage.isInstance).map((message) => message.text);
const isParser = (tools: readonly { readonly name: string }[]): boolean =>
  tools.some((one) => one.name === 'classify_intent');
const intent = (...capabilities: string[]): ScriptedAnswer => ({
  toolCalls: [{ name: 'classify_intent', args: { task_summary: 'test', capabilities, project: null } }],
});
const call = (name: string, args: Record<string, unknown> = {}): ScriptedAnswer => ({ toolCalls: [{ name, args }] });

/** Reads a meter, then turns a valve, then says what it saw. */
const plumber: ModelScript = (messages, tools) => {
  if (isParser(tools)) return intent('plumbing');
  const seen = results(messages).length;
  if (seen === 0) return call('read_meter', { meter: 'm1' });
  if (seen === 1) return call('turn_valve', { valve: 'v1' });
  return { content: `done: ${results(messages).join(' ')}` };
};

let bench: WorkerBench;
let isStuck: boolean;
let begun: number;
beforeEach(async () => {
  [isStuck, begun] = [false, 0];
  bench = await openWorkerBench();
  await bench.addPerson('7', 'operator');
});
afterEach(() => bench.close());

const plumbing = toolGroup({
  name: 'plumbing',
  summary: 'Meters and valves.',
  uses: [],
  tools: {
    read_meter: tool({
      describe: 'Read a meter.',
      hints: ['read the meter m1', 'what does the meter m1 say', 'look at meter m1'],
      input: z.object({ meter: z.string() }),
      risk: 'safe',
      role: 'viewer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ meter }) => ({ zebra: 1, meter, aardvark: 2 }),
      phrases: { done: () => 'The meter stands at 1.' },
    }).from('outside'),
    turn_valve: tool({
      describe: 'Turn a valve.',
      hints: ['turn the valve v1', 'open valve v1', 'close the valve v1'],
      input: z.object({ valve: z.string() }),
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      deadlineMs: 60_000,
      replay: 'harmless',
      run: async ({ valve }, { signal }) => {
        begun += 1;
        // Hangs until its worker is gone.
        if (isStuck)
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        return { turned: valve };
      },
      phrases: { done: () => 'The valve is turned.' },
    }).from('outside'),
  },
});

const start = (script: ModelScript, env: Record<string, string> = {}) =>
  bench.startWorker({ script, env, wiring: { groups: [plumbing] } });

const ask = (text: string): Promise<readonly string[]> => bench.ask('7', text);

async function replayAll(): Promise<TurnReplay[]> {
  const replay = await createReplayer(bench.pool, [plumbing], sampleParts.agents);
  const turns: TurnReplay[] = [];
  for await (const threadId of readThreadsWithTurns(bench.pool))
    for await (const turn of replay.thread(threadId)) turns.push(turn);
  return turns;
}

async function records(): Promise<ExecutionTurn[]> {
  const { rows } = await bench.pool.query<{ record: unknown }>(
    'select record from execution_turns order by recorded_at, pass',
  );
  return rows.map((row) => ExecutionTurn.parse(row.record));
}

/** Changes a record as somebody would who knows how it is hashed. */
async function forge(pass: number, change: (record: ExecutionTurn) => unknown): Promise<void> {
  const record = (await records()).find((one) => one.pass === pass);
  if (!record) throw new Error(`there is no pass ${pass}`);
  change(record);
  await bench.pool.query(
    'update execution_turns set record = $1::json, record_hash = $2 where turn_id = $3 and pass = $4',
    [JSON.stringify(record), hashCanonical(record), record.turnId, pass],
  );
}

describe('a replay', () => {
  it('finds no difference in turns with bad answers of a model, refusals, failures and stops', async () => {
    const say = new Map<string, ModelScript>([
      ['nothing', () => ({ content: '  ' })],
      ['unknown tool', (messages) => (results(messages).length === 0 ? call('launch_rocket') : { content: 'no' })],
      [
        'wrong arguments',
        (messages) => (results(messages).length < 2 ? call('read_meter', { meter: 7 }) : { content: 'no' }),
      ],
      ['broken', () => ({ throw: new AppError('MODEL_UNAVAILABLE', {}) })],
      ['slow', () => ({ content: 'too late', delayMs: 30_000 })],
      ['fine', () => ({ content: 'fine' })],
    ]);
    await start((messages, tools, options) => {
      if (isParser(tools)) return { content: 'garbage' };
      const text = messages.findLast((message) => message.getType() === 'human')?.text ?? '';
      const since = messages.slice(messages.findLastIndex((message) => message.getType() === 'human'));
      return say.get(text)?.(since, tools, options) ?? { content: 'what?' };
    });
    for (const text of ['nothing', 'unknown tool', 'wrong arguments', 'broken']) await ask(text);
    await bench.say('7', 'slow');
    await eventually(
      async () => (await bench.pool.query('select 1 from lanes where worker is not null')).rowCount,
      (held) => held === 1,
    );
    await bench.stop('7');
    await bench.settle();
    await ask('fine');
    const turns = await replayAll();
    expect(turns.map(({ kind }) => kind)).toEqual(Array(6).fill('same'));
    const ends = (await records()).flatMap(({ ended }) => ended?.outcome ?? []);
    expect(ends).toEqual(['answered', 'answered', 'answered', 'failed', 'stopped', 'answered']);
  });

  it('includes every pass of a turn that two workers ran, and the crash in between', async () => {
    isStuck = true;
    const first = await start(plumber);
    await bench.say('7', 'turn it');
    await eventually(
      async () => begun,
      (count) => count === 1,
    );
    await first.close();
    isStuck = false;
    await start(plumber);
    await bench.wake('7');
    await bench.settle();
    const [one, two, three] = await records();
    expect([one, two, three].map((record) => record?.pass)).toEqual([1, 2, 3]);
    expect(one?.runs.acted?.turnId).not.toBe(one?.turnId);
    expect(two?.runs.asked?.turnId).toBe(one?.runs.acted?.turnId);
    expect(two?.runs.acted?.turnId).toBe(two?.turnId);
    expect(await replayAll()).toMatchObject([{ kind: 'same' }]);
    const { rows } = await bench.pool.query<{ tool: string; rule: string }>(
      `select tool, proposal -> 'decision' ->> 'rule' as rule from actions where status = 'done' order by tool`,
    );
    expect(rows).toEqual([
      { tool: 'read_meter', rule: expect.any(String) as string },
      { tool: 'turn_valve', rule: expect.any(String) as string },
    ]);
    const { rows: events } = await bench.pool.query<{ data: { passes: number; records: string[] } }>(
      `select data from audit_events where kind = 'turn.recorded'`,
    );
    const { rows: hashes } = await bench.pool.query<{ record_hash: string }>(
      'select record_hash from execution_turns order by pass',
    );
    expect(events.map(({ data }) => data)).toMatchObject([
      { passes: 3, records: hashes.map((row) => row.record_hash) },
    ]);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a record that was changed',
      () =>
        bench.pool.query(
          `update execution_turns set record = replace(record::text, 'The meter stands at 1', 'The meter stands at 9')::json where pass = 1`,
        ),
      'record',
    ],
    [
      'a record that was changed together with its hash',
      () => forge(1, ({ calls }) => Object.assign(calls[0] ?? {}, { durationMs: 987_654 })),
      'record in the audit',
    ],
    [
      'another result of a tool',
      () => forge(1, ({ calls }) => Object.assign(calls[0]?.result ?? {}, { result: { zebra: 9 } })),
      'result of read_meter',
    ],
    [
      'another decision',
      () => forge(2, ({ calls }) => Object.assign(calls[0]?.decided?.decision ?? {}, { effect: 'ask' })),
      'effect of the decision about turn_valve',
    ],
    [
      'another rule',
      () => forge(2, ({ calls }) => Object.assign(calls[0]?.decided?.decision ?? {}, { rule: 'mine' })),
      'rule of the decision about turn_valve',
    ],
    [
      'another version of the prompt',
      () => forge(1, ({ versions }) => Object.assign(versions, { prompt: hashCanonical('be nice') })),
      'record in the audit',
    ],
    [
      'another system prompt',
      () => forge(1, ({ asks }) => asks.forEach(({ context }) => (context.system = hashCanonical('be nice')))),
      'system prompt of product_owner',
    ],
    [
      'another verdict',
      () => forge(2, (record) => Object.assign(record, { outcome: 'limit' })),
      'verdict of the judge',
    ],
    [
      'another policy',
      () =>
        bench.pool.query(
          `update policy_sets set files = (select jsonb_agg(case when f ->> 'name' = 'roles.cedar'
             then jsonb_set(f, '{text}', to_jsonb(f ->> 'text' || E'\\n// changed\\n')) else f end) from jsonb_array_elements(files) f)`,
        ),
      'policy of the decision about read_meter',
    ],
  ])('detects %s, and names the difference', async (_, tamper, what) => {
    await start(plumber);
    await ask('turn it');
    expect(await replayAll()).toMatchObject([{ kind: 'same' }]);
    await tamper();
    expect(await replayAll()).toMatchObject([{ kind: 'different', difference: { what } }]);
  });

  it('skips the notice turn of an incident, and replays the turns after it', async () => {
    await start(plumber);
    await ask('turn it');
    await bench.pool.query(
      `insert into turns (turn_id, thread_id, user_key, epoch, worker, trace_id, outcome, passes, tool_calls, started_at)
       select 'turn_notice', thread_id, user_key, epoch, worker, trace_id, 'notice', 0, 0, now() from turns`,
    );
    await ask('once more');
    expect((await replayAll()).map(({ kind }) => kind)).toEqual(['same', 'nothing', 'same']);
  });

  it('compares turns with redacted secrets, and still detects changes in them', async () => {
    const secret = 'AKIAIOSFODNN7EXAMPLE';
    await start((messages, tools) => {
      if (isParser(tools)) return intent('plumbing');
      const since = messages.slice(messages.findLastIndex((message) => message.getType() === 'human'));
      const said = since[0]?.text ?? '';
      return results(since).length === 0 ? call('read_meter', { meter: said }) : { content: `I read ${said}` };
    });
    // Past the gateway, which would have made a handle of it.
    await ask(`the meter ${secret}`);
    await ask('the meter m2');
    const all = await records();
    expect(all.map(({ redacted }) => redacted)).toContain(true);
    expect(JSON.stringify(all)).not.toContain(secret);
    expect((await replayAll()).map(({ kind }) => kind)).toEqual(['same', 'same']);

    await forge(2, ({ asks }) => asks.forEach(({ context }) => (context.messages = hashCanonical('something else'))));
    expect(await replayAll()).toMatchObject([
      { kind: 'different', difference: { pass: 2, what: 'messages that product_owner was given' } },
      { kind: 'not-replayable' },
    ]);
    // A record of before had its hashes made with the secret in place: no difference can be told from that.
    await forge(2, (record) => delete record.cleanHashes);
    await forge(1, (record) => delete record.cleanHashes);
    expect((await replayAll())[0]).toMatchObject({
      kind: 'not-replayable',
      why: expect.stringContaining('a secret was taken out of its record') as string,
    });
  });

  it('replays a record of an earlier release with the ids that the model gave', async () => {
    await start((_messages, tools) =>
      isParser(tools)
        ? intent('plumbing')
        : call('respond_to_user', { message: 'Which meter?', awaiting_response: true }),
    );
    await ask('read the meter');
    await forge(1, ({ answer, calls }) => {
      if (!answer) throw new Error('it had an answer');
      delete answer.modelId;
      answer.id = 'chatcmpl-7';
      for (const one of answer.calls) one.id = 'act_chatcmpl-7_0';
      for (const one of calls) one.callId = 'act_chatcmpl-7_0';
    });
    // That it was forged is all that is found.
    expect(await replayAll()).toMatchObject([{ kind: 'different', difference: { what: 'record in the audit' } }]);
  });

  it('never reports a turn as the same when its record or its policy is missing', async () => {
    await start(plumber);
    await ask('turn it');
    await ask('once more');
    await bench.pool.query('delete from policy_sets');
    const why = (turns: TurnReplay[]) => turns.map((turn) => (turn.kind === 'not-replayable' ? turn.why : turn.kind));
    expect(why(await replayAll())).toEqual([
      expect.stringMatching(/the policy set .* was not kept/),
      expect.stringMatching(/^it follows/),
    ]);
    await bench.pool.query('delete from execution_turns');
    expect(why(await replayAll())).toEqual(['it has no record', expect.stringMatching(/^it follows/)]);
  });
});
