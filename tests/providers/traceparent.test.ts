import { afterEach, beforeEach, expect, it } from 'vitest';
import { openOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { eventually } from '../support/until.ts';
import { openModelBench, type ModelBench } from './bench.ts';
import { TESTED_PROVIDERS } from './providers.ts';

let bench: ModelBench;
let receiver: OtlpReceiver;
beforeEach(async () => {
  bench = await openModelBench();
  receiver = await openOtlpReceiver();
});
afterEach(async () => {
  await bench.close();
  await receiver.close();
});

/** The `traceparent` of each request to the model. */
async function headersOf(id: string, tracing: Readonly<Record<string, string>>) {
  const wire = await bench.serve(() => ({ content: 'Good day.' }));
  const provider = TESTED_PROVIDERS.find((candidate) => candidate.id === id);
  await bench.startWorker({ env: { MODEL: id, ...provider?.env(wire.url), ...tracing } });
  expect(await bench.ask('good day')).toEqual(['Good day.']);
  const sent = wire.requests().map(({ headers }) => headers['traceparent']);
  expect(sent.length).toBeGreaterThan(0);
  return sent;
}

it.each(['openai', 'anthropic', 'google', 'ollama'])('%s is told below which span it answers', async (id) => {
  const sent = await headersOf(id, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  const spans = await eventually(
    async () => receiver.spans,
    (all) => all.some(({ name }) => name.startsWith('invoke_agent')),
  );
  const known = spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
  for (const header of sent) expect(known).toContain(header);
});

it('a model server is told of no trace when nothing is traced', async () => {
  for (const header of await headersOf('openai', {})) expect(header).toBeUndefined();
});
