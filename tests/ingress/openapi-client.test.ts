import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OpenAPIClientAxios, type AxiosResponse, type Document } from 'openapi-client-axios';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openIngress, type IngressGateway } from './ingress-gateway.ts';
import { headersOf } from './program.ts';

// A client that another program makes of docs/api/openapi.json, and that knows nothing else, talks to a running gateway.

const document = JSON.parse(readFileSync(join(getCheckoutPath(), 'docs/api/openapi.json'), 'utf8')) as Document & {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}; // the form is what api-documents.test.ts validates
const ajv = new Ajv2020({ strict: false, validateFormats: false });
/** Returns a body that the document describes. Throws, as a strict client does, when it has another form. */
function requireForm(name: string, body: unknown): unknown {
  if (ajv.validate({ ...document.components.schemas[name] }, body)) return body;
  throw new Error(`${name}: ${ajv.errorsText()}`);
}

let ingress: IngressGateway;
let call: (
  operation: string,
  parameters: Readonly<Record<string, string>>,
  body?: string,
) => Promise<AxiosResponse<unknown>>;
beforeAll(async () => {
  ingress = await openIngress();
  const api = new OpenAPIClientAxios({ definition: document, withServer: { url: ingress.ci.url } });
  const client = await api.init();
  call = async (operation, parameters, body) => {
    const method = client[operation];
    if (!method) throw new Error(`the document has no operation ${operation}`);
    return method(parameters, body, { validateStatus: () => true, headers: { 'content-type': 'application/json' } });
  };
});
afterAll(() => ingress.close());

test('a generated client sends an event and reads its answer, in the documented form', async () => {
  const body = JSON.stringify({ text: 'list the projects', id: 'openapi-1' });
  const sent = await call('sendEvent', headersOf(ingress.ci, body), body);
  expect(sent.status).toBe(200);
  const { id } = z.object({ id: z.string() }).parse(requireForm('Accepted', sent.data));
  const read = await call('readEvent', { event: id, ...headersOf(ingress.ci, id) });
  expect(read.status).toBe(200);
  expect(requireForm('EventAnswer', read.data)).toMatchObject({ id, status: 'waiting', messages: [] });
});

test('a generated client asks for a gate', async () => {
  const commit = '3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d';
  const gate = { repository: 'acme/shop', environment: 'production', ref: 'main', commit, run: '17', actor: 'ada' };
  expect(requireForm('Event', { gate })).toEqual({ gate });
  const body = JSON.stringify({ gate, id: 'openapi-2' });
  const sent = await call('sendEvent', headersOf(ingress.ci, body), body);
  const { id } = z.object({ id: z.string() }).parse(sent.data);
  const read = await call('readEvent', { event: id, ...headersOf(ingress.ci, id) });
  expect(requireForm('EventAnswer', read.data)).toMatchObject({ id, gate: 'waiting' });
});

test('each refusal that a generated client meets is documented', async () => {
  const wrong = JSON.stringify({ words: 'hello' });
  const refusals = [
    ['sendEvent', headersOf(ingress.ci, wrong), wrong],
    ['sendEvent', headersOf({ ...ingress.ci, secret: 'x' }, wrong), wrong],
    ['readEvent', { event: 'evt_none', ...headersOf(ingress.ci, 'evt_none') }, undefined],
    ['reportAlarms', { source: 'nobody' }, '{}'],
  ] as const;
  const statuses = [];
  for (const [operation, parameters, body] of refusals) {
    const { status } = await call(operation, parameters, body);
    const known = Object.values(document.paths ?? {})
      .flatMap((path) => Object.values(path ?? {}))
      .find((one) => typeof one === 'object' && 'operationId' in one && one.operationId === operation);
    expect(known).toHaveProperty(['responses', String(status)]);
    statuses.push(status);
  }
  expect(statuses).toEqual([400, 401, 404, 401]);
});
