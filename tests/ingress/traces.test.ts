import { randomUUID } from 'node:crypto';
import { newTraceId } from '@signalbox/contracts/ids';
import { parseTraceparent } from '@signalbox/platform/tracing/trace-context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually, until } from '../support/until.ts';
import { post, SECRET, type Program } from './program.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { writeSources } from './sources-file.ts';

let stack: Stack;
let collector: OtlpReceiver;
let receiver: Receiver;
let ci: Program;

beforeAll(async () => {
  collector = await openOtlpReceiver();
  receiver = await openReceiver(SECRET);
  const port = await freePort();
  const file = writeSources([
    { name: 'ci', secret: SECRET, serviceAccount: { name: 'CI', role: 'developer' }, callback: receiver.url },
  ]);
  stack = await openStack({
    env: {
      GATEWAY_CHANNELS: 'telegram,ingress',
      GATEWAY_HTTP_PORT: String(port),
      INGRESS_SOURCES_FILE: file,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
  });
  ci = { url: `http://127.0.0.1:${port}`, source: 'ci', secret: SECRET };
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
  await collector.close();
});

const TRACE = 'f1e2d3c4b5a697887766554433221100';
const SPAN = '00f067aa0ba902b7';

/** Sends an event in a trace, and answers the id of the request's own trace once its answer was pushed. */
async function askIn(traceparent: string): Promise<string> {
  const before = receiver.taken().length;
  // Equal bodies of one second have equal signatures, and count as one request that was repeated.
  const event = { text: 'list the projects', conversation: randomUUID() };
  const response = await post(ci, event, { headers: { traceparent } });
  expect(response.status).toBe(200);
  const { id } = (await response.json()) as { readonly id: string };
  await until(() => receiver.taken().length > before);
  const { rows } = await stack.pool.query<{ trace_id: string }>('select trace_id from inbox where update_id = $1', [
    id,
  ]);
  return rows[0]?.trace_id ?? '';
}

/** The spans of a trace, once it has a root of ours. */
const spansOf = (traceId: string): Promise<readonly ReceivedSpan[]> =>
  eventually(
    () => Promise.resolve(collector.spans.filter(({ attributes }) => attributes['signalbox.trace_id'] === traceId)),
    (spans) => ['invoke_agent', 'admit', 'deliver'].every((word) => spans.some(({ name }) => name.startsWith(word))),
  );
const rootOf = (spans: readonly ReceivedSpan[]): ReceivedSpan | undefined =>
  spans.find(({ name }) => name.startsWith('invoke_agent'));

test('a request of a program goes on in its trace, below its span, and the callback names our span in it', async () => {
  expect(await askIn(`00-${TRACE}-${SPAN}-01`)).toBe(`trace_${TRACE}`);
  const spans = await spansOf(`trace_${TRACE}`);
  const root = rootOf(spans);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  expect(root).toMatchObject({ parentSpanId: SPAN, kind: 'internal', links: [] });
  const below = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId).map(({ name }) => name.split(' ')[0]);
  expect(below).toEqual(expect.arrayContaining(['admit', 'wait', 'chat', 'commit', 'deliver']));
  expect(parseTraceparent(receiver.received.at(-1)?.traceparent)).toEqual({ traceId: TRACE, spanId: root?.spanId });
  for (const { from, until: end } of spans) expect(end - from).toBeLessThan(60_000);
});

test('a second request in the same trace gets a trace of its own, which links to that of the program', async () => {
  const own = await askIn(`00-${TRACE}-${SPAN}-01`);
  expect(own).not.toBe(`trace_${TRACE}`);
  expect(rootOf(await spansOf(own))).toMatchObject({ parentSpanId: null, links: [TRACE] });
});

test('a program cannot write into the trace of another person, although it knows the id', async () => {
  const ada = await stack.person(1002, 'developer');
  await ada.ask('list the projects');
  const { rows } = await stack.pool.query<{ trace_id: string }>(`select trace_id from inbox where user_key = '1002'`);
  const theirs = rows[0]?.trace_id ?? '';
  for (const known of [theirs, newTraceId()]) {
    const own = await askIn(`00-${known.replace('trace_', '')}-${SPAN}-01`);
    expect(own).not.toBe(known);
  }
  const { rowCount } = await stack.pool.query('select from inbox where trace_id = $1', [theirs]);
  expect(rowCount).toBe(1);
});

test.each([
  ['zeros as a trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['zeros as a span', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['a short id', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['the version that is none', `ff-${TRACE}-${SPAN}-01`],
  ['a known version with more', `00-${TRACE}-${SPAN}-01-more`],
  ['a long text', `01-${TRACE}-${SPAN}-01-${'x'.repeat(500)}`],
])('a traceparent with %s is ignored', async (_, header) => {
  const own = await askIn(header);
  expect(own).toMatch(/^trace_01[0-9a-f]{30}$/);
  expect(rootOf(await spansOf(own))).toMatchObject({ parentSpanId: null, links: [] });
});
