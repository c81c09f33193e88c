import { listControlStates } from '@signalbox/contracts/governance/control-state';
import type { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import { createLog } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { openOtlpReceiver, treeOf, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import { codeIn, openCardsBench, type CardsBench, type Customer } from './cards-bench.ts';

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await openOtlpReceiver();
});
afterEach(() => receiver.close());

/** A span's name without the agent, tool or model. */
const readOperation = ({ name }: ReceivedSpan): string => name.split(' ')[0] ?? '';

/** The spans of the trace of a row, once these names have come. */
async function traceOf(traceId: string, names: readonly string[]): Promise<readonly ReceivedSpan[]> {
  const own = async (): Promise<readonly ReceivedSpan[]> =>
    receiver.spans.filter(({ attributes }) => attributes['signalbox.trace_id'] === traceId);
  return eventually(own, (spans) => names.every((name) => spans.some((span) => readOperation(span) === name)));
}

/** The traces of a person's messages, oldest first. */
async function tracesOf(pool: Pool, userKey: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ trace_id: string }>(
    `select trace_id from inbox where user_key = $1 and kind in ('message', 'press') order by id`,
    [userKey],
  );
  return rows.map(({ trace_id: id }) => id);
}

/** What the record says that a turn did. */
async function statesOfRecord(pool: Pool, turnId: unknown): Promise<readonly string[]> {
  const { rows } = await pool.query<{ record: ExecutionTurn }>(
    'select record from execution_turns where turn_id = $1 order by pass',
    [turnId],
  );
  return rows.flatMap(({ record }) => listControlStates(record)).filter((state) => state !== 'idle');
}

const STATES = ['analyze', 'tool_decision', 'policy_check', 'execute', 'await_confirmation', 'respond'];
const statesIn = (spans: readonly ReceivedSpan[]): readonly string[] =>
  spans
    .filter(({ name }) => STATES.includes(name))
    .toSorted((one, other) => one.from - other.from)
    .map(({ name }) => name);

it('a deployment is one tree of spans over gateway, worker and jobs, with the states of the deployment record', async () => {
  const demo: DemoStack = await openDemoStack({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  try {
    const { ben } = demo.people;
    await demo.tell(ben, 'register the demo project', /demo/);
    await demo.tell(ben, 'deploy demo 1.0 to staging', /Deployed demo in staging/);
    const traceId = (await tracesOf(demo.stack.pool, '1002')).at(-1) ?? '';
    await demo.stack.stop(); // sends what is left
    const spans = await traceOf(traceId, ['admit', 'invoke_agent', 'execute_tool', 'job', 'deliver']);
    const { root, below } = treeOf(spans);
    expect(new Set(spans.map(({ service }) => service))).toEqual(
      new Set(['signalbox-gateway', 'signalbox-worker', 'signalbox-jobs-deploy']),
    );
    expect(root).toMatchObject({
      name: 'invoke_agent product_owner',
      attributes: { 'gen_ai.agent.id': 'product_owner', 'session.id': expect.stringMatching(/^ses_[0-9a-f]{24}$/) },
    });
    const kinds = new Map(spans.map((span) => [readOperation(span), span.kind]));
    expect(Object.fromEntries(kinds)).toMatchObject({
      admit: 'server',
      wait: 'consumer',
      invoke_agent: 'internal',
      execute_tool: 'internal',
      commit: 'producer',
      job: 'consumer',
      deliver: 'client',
    });
    const turns = spans.filter((span) => readOperation(span) === 'invoke_agent');
    expect(new Set(turns.map(({ attributes }) => attributes['session.id'])).size).toBe(1);
    const deploy = below(root).find(({ attributes }) => attributes['gen_ai.tool.name'] === 'trigger_deploy');
    expect(deploy).toMatchObject({
      attributes: { 'signalbox.tool.class': 'sensitive', 'signalbox.tool.changed': true },
    });
    const job = deploy && below(deploy).find(({ attributes }) => attributes['signalbox.job'] === 'deploy.run');
    expect(job).toMatchObject({ attributes: { 'signalbox.outcome': 'done', 'signalbox.job.attempt': 1 } });
    // The end of the job is a turn of its own, below the job.
    expect(job && below(job)).toMatchObject([
      { name: 'invoke_agent product_owner', attributes: { 'signalbox.kind': 'job-finished' } },
    ]);
    const names = below(root).map(readOperation);
    expect(names).toEqual(expect.arrayContaining(['admit', 'wait', 'chat', 'commit', 'deliver']));
    for (const turn of turns) {
      const mine = [
        turn,
        ...below(turn),
        ...below(turn)
          .filter((span) => readOperation(span) === 'execute_tool')
          .flatMap(below),
      ];
      const told = await statesOfRecord(demo.stack.pool, turn.attributes['signalbox.turn_id']);
      expect(statesIn(mine)).toEqual(told);
    }
  } finally {
    await demo.close();
  }
}, 180_000);

describe('the lost-card agent', () => {
  let bench: CardsBench;
  let who: Customer;
  beforeEach(async () => {
    bench = await openCardsBench({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    who = await bench.customer(4_321);
  });
  afterEach(() => bench.close());

  it('writes one trace for a card change with its confirming tap, and one for the identity code', async () => {
    const phone = await who.whatsApp();
    await who.person.ask('I lost my card, my name is Wilhelmina');
    await who.does('freeze_card', { card: who.debit });
    await who.person.clickAndWait('Confirm');
    await who.does('report_fraud', { card: who.debit });
    await who.person.ask('2');
    const code = codeIn(
      await eventually(
        () => phone.heard(),
        (texts) => texts.some((text) => /\b\d{6}\b/.test(text)),
      ),
    );
    await who.person.ask(code);
    const traces = await tracesOf(bench.pool, '4321');
    await bench.stack.stop();
    const trees = await Promise.all(traces.map(async (id) => treeOf(await traceOf(id, ['admit']))));
    const turns = trees.filter(({ root }) => readOperation(root) === 'invoke_agent');
    expect(turns.length).toBeGreaterThanOrEqual(4);
    for (const { root } of turns) expect(root.attributes).toMatchObject({ 'gen_ai.agent.id': 'lost_card' });
    const [session, ...others] = new Set(turns.map(({ root }) => root.attributes['session.id']));
    expect([session, others]).toEqual([expect.stringMatching(/^ses_/), []]);
    // The tap goes on with the call that asked for it.
    const frozen = turns.find(({ root, below }) => below(root).some(({ name }) => name === 'await_confirmation'));
    const [call] = frozen
      ? frozen.below(frozen.root).filter(({ attributes }) => attributes['gen_ai.tool.name'] === 'freeze_card')
      : [];
    expect(call).toMatchObject({ attributes: { 'signalbox.tool.decision': 'confirm' } });
    const [decided] = (call && frozen?.below(call).filter((span) => readOperation(span) === 'invoke_agent')) ?? [];
    expect(decided && frozen?.below(decided)).toContainEqual(
      expect.objectContaining({
        name: 'execute_tool freeze_card',
        attributes: expect.objectContaining({ 'gen_ai.tool.name': 'freeze_card', 'signalbox.tool.changed': true }),
      }),
    );
    // Nobody can be recognized by what was sent.
    const said = receiver.spans.flatMap(({ name, attributes }) => [name, ...Object.values(attributes)]).join('\n');
    for (const word of ['Wilhelmina', '4321', '12025554321', code, who.debit, 'lost my card', 'P4321'])
      expect(said).not.toMatch(new RegExp(`\\b${word}\\b`));
  }, 120_000);
});

describe('a trace receiver that does not accept spans', () => {
  let stack: Stack;
  const lines: string[] = [];
  beforeAll(() => void lines.splice(0));
  afterAll(() => void lines.splice(0));

  const open = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
    stack = await openStack({ log, env });
  };
  const complaints = (): number => lines.filter((line) => line.includes('spans are not taken')).length;

  it.each(['error', 'silence', 'gone'] as const)(
    '(%s) delays no turn and no shutdown, and is logged once',
    async (how) => {
      lines.splice(0);
      const away = how === 'gone' ? 'http://127.0.0.1:9' : receiver.url;
      if (how !== 'gone') receiver.fail(how);
      await open({ OTEL_EXPORTER_OTLP_ENDPOINT: away, OTEL_EXPORTER_OTLP_TIMEOUT: '1500' });
      try {
        const ada = await stack.person(1002, 'developer');
        for (const text of ['list the projects', 'list the servers', 'list the projects'])
          expect(await ada.ask(text)).toHaveLength(1);
        await eventually(
          async () => complaints(),
          (count) => count >= 2,
        ); // the gateway and the worker
        for (let n = 0; n < 3; n += 1) await ada.ask('list the projects');
        const startedAt = performance.now();
        await stack.stop();
        expect(performance.now() - startedAt).toBeLessThan(8_000);
        expect(complaints()).toBe(2);
      } finally {
        await stack.close();
      }
    },
    60_000,
  );

  it('gets the spans that end after it is available again', async () => {
    lines.splice(0);
    receiver.fail('error');
    await open({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    try {
      const ada = await stack.person(1002, 'developer');
      await ada.ask('list the projects');
      await eventually(
        async () => complaints(),
        (count) => count >= 2,
      );
      receiver.fail('never');
      await ada.ask('list the servers');
      const traceId = (await tracesOf(stack.pool, '1002')).at(-1) ?? '';
      treeOf(await traceOf(traceId, ['admit', 'invoke_agent', 'deliver']));
      // Each service says so once it has read the receiver's answer.
      await eventually(
        async () => lines.filter((line) => line.includes('spans are taken again')).length,
        (count) => count === 2,
      );
    } finally {
      await stack.close();
    }
  }, 60_000);
});

it('Langfuse receives spans with its own keys, session, tags and models, and no header of the trace collector', async () => {
  const langfuse = await openOtlpReceiver();
  const stack = await openStack({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=open%20sesame',
      LANGFUSE_BASE_URL: `${langfuse.url}/`,
      LANGFUSE_PUBLIC_KEY: 'pk-lf-1',
      LANGFUSE_SECRET_KEY: 'sk-lf-2',
    },
  });
  try {
    const ada = await stack.person(1002, 'developer');
    await ada.ask('list the projects');
    await stack.stop();
    const basic = `Basic ${Buffer.from('pk-lf-1:sk-lf-2').toString('base64')}`;
    expect(langfuse.requests.length).toBeGreaterThan(0);
    for (const { path, headers } of langfuse.requests) {
      expect(path).toBe('/api/public/otel/v1/traces');
      expect([headers.authorization, headers['x-collector-key']]).toEqual([basic, undefined]);
    }
    for (const { path, headers } of receiver.requests) {
      expect(path).toBe('/v1/traces');
      expect([headers.authorization, headers['x-collector-key']]).toEqual([undefined, 'open sesame']);
    }
    expect(langfuse.spans.map(({ spanId }) => spanId).toSorted()).toEqual(
      receiver.spans.map(({ spanId }) => spanId).toSorted(),
    );
    expect(langfuse.spans.find((span) => readOperation(span) === 'invoke_agent')?.attributes).toMatchObject({
      'session.id': expect.stringMatching(/^ses_/),
      'langfuse.trace.tags': ['product_owner', 'telegram'],
      'gen_ai.agent.id': 'product_owner',
    });
    expect(langfuse.spans.find((span) => readOperation(span) === 'chat')?.attributes).toMatchObject({
      'gen_ai.provider.name': 'signalbox',
      'gen_ai.request.model': 'offline',
      'gen_ai.usage.input_tokens': 0,
      'langfuse.observation.type': 'generation',
    });
  } finally {
    await stack.close();
    await langfuse.close();
  }
}, 60_000);
