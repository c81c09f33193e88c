import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { EventAnswer } from '@signalbox/gateway/channels/ingress/receive/event-answer';
import { EventBody } from '@signalbox/gateway/channels/ingress/receive/event';
import { REFUSAL_STATUS } from '@signalbox/gateway/channels/ingress/receive/head';
import { AlarmEntry, ProgramEntry } from '@signalbox/gateway/channels/ingress/sources';
import { ProgramMessage } from '@signalbox/gateway/channels/ingress/message';
import { SIGNATURE_HEADER, SOURCE_HEADER, TIMESTAMP_HEADER } from '@signalbox/gateway/channels/ingress/signature';
import { expect, it } from 'vitest';
import { z } from 'zod';

/*
 * docs/api/ is made of the schemas with which the gateway and the job service read. After a change of these:
 *   npm test -- --project unit tests/contracts/api-documents.test.ts --update
 */

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));

/** A schema of a body: of what is sent to Signalbox, before defaults, or of what it answers. */
const toSchema = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const says = (description: string) => ({ description });
const problem = (description: string) => ({ description, ...json(refTo('Problem')) });
const retried = (description: string) => ({
  ...problem(description),
  headers: { 'retry-after': { schema: { type: 'integer' }, description: 'Seconds to wait.' } },
});
const header = (name: string, description: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});
const signed = [
  header(SOURCE_HEADER, 'The name of the source.'),
  header(TIMESTAMP_HEADER, 'The time of signing, in seconds since 1970, at most five minutes off.'),
  header(SIGNATURE_HEADER, '`v1=` and the HMAC-SHA-256 of the timestamp, a dot and the body or the event id.'),
];
const refused = {
  ...Object.fromEntries(
    [...new Set(Object.values(REFUSAL_STATUS))].map((status) => [status, says('Refused, without a body.')]),
  ),
  400: problem('The body is not what the schema says.'),
  403: problem('The source has no role any more.'),
  429: retried('Too many events.'),
  503: retried('Nothing can be stored right now. Send the same request again.'),
};

const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'Signalbox: programs, gates and alarms',
    version,
    license: { name: 'MIT', identifier: 'MIT' },
    description:
      'What programs send to the gateway. docs/channels/ingress.md, docs/gates.md and docs/channels/alarms.md explain it.',
  },
  servers: [{ url: 'https://signalbox.example.org' }],
  security: [],
  paths: {
    '/webhook/ingress': {
      post: {
        operationId: 'sendEvent',
        summary: 'Sends a text, a press of a button, or a request of a pipeline (a gate).',
        parameters: [...signed, header('idempotency-key', 'Your name for the event, instead of `id`.', false)],
        requestBody: { required: true, ...json(refTo('Event')) },
        responses: {
          200: { description: 'The event is stored.', ...json(refTo('Accepted')) },
          ...refused,
          409: problem('The id belongs to an event with another body.'),
        },
      },
    },
    '/webhook/ingress/{event}': {
      get: {
        operationId: 'readEvent',
        summary: 'Reads what became of an event. The state of a gate is in `gate`.',
        parameters: [...signed, { name: 'event', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: { description: 'Its state, and the messages so far.', ...json(refTo('EventAnswer')) },
          ...refused,
          404: problem('The source sent no such event.'),
        },
      },
    },
    '/hooks/{source}': {
      post: {
        operationId: 'reportAlarms',
        summary: 'Takes the webhook of a source of alarms, or of a forge. Its sender chose the form of the body.',
        security: [{ token: [] }, { password: [] }, {}],
        parameters: [{ name: 'source', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: { required: true, ...json({ type: ['object', 'array'] }) },
        responses: {
          200: says('The alarms are stored.'),
          400: says('The body is no message of its kind.'),
          401: says(
            'An unknown source, or a wrong proof. Signatures of GitHub, GitLab, Grafana and Sentry are proofs too.',
          ),
          413: says('The body has more than 1 MB.'),
          503: says('Too many requests, or nothing can be stored. Send it again.'),
        },
      },
    },
  },
  webhooks: {
    message: {
      post: {
        operationId: 'receiveMessage',
        summary: 'What a callback gets: one message, signed like your events.',
        parameters: signed,
        requestBody: { required: true, ...json(refTo('Callback')) },
        responses: { 200: says('Taken.') },
      },
    },
  },
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' }, password: { type: 'http', scheme: 'basic' } },
    schemas: {
      Event: toSchema(EventBody, 'input'),
      Accepted: toSchema(z.object({ id: z.string(), status: z.literal('accepted') }), 'output'),
      EventAnswer: toSchema(EventAnswer, 'output'),
      Callback: toSchema(z.object({ event: z.string(), conversation: z.string(), message: ProgramMessage }), 'output'),
      Problem: toSchema(z.object({ error: z.string() }), 'output'),
    },
  },
};

const files = {
  'openapi.json': openapi,
  'signalbox.schema.json': {
    title: 'signalbox.json: how a project is built, started and checked',
    ...z.toJSONSchema(ServiceFile, { io: 'input' }),
  },
  'sources.schema.json': {
    title: 'INGRESS_SOURCES_FILE: programs that write, and sources of alarms',
    ...z.toJSONSchema(z.array(z.union([ProgramEntry, AlarmEntry])), { io: 'input' }),
  },
};

it.each(Object.entries(files))('docs/api/%s is what the schemas of the code say', async (name, document) => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`../../docs/api/${name}`);
});

it('the OpenAPI document is valid, as another program judges', async () => {
  expect(await new Validator().validate(structuredClone(openapi))).toEqual({ valid: true });
  const broken = { ...openapi, paths: { '/x': { post: { responses: 3 } } } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});
