import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Fault } from '../faults.ts';
import type { GraphDeps } from '../graph/graph-call.ts';
import * as actions from './person-actions.ts';

const NewPerson = z.strictObject({ id: z.string().regex(/^\d{5,20}$/), name: z.string().trim().min(1).max(64) });
const Events = z.object({
  after: z.coerce.number().int().default(0),
  timeoutMs: z.coerce.number().int().min(0).max(60_000).default(0),
});
const Flush = z.strictObject({
  isReversed: z.boolean().optional(),
  isTogether: z.boolean().optional(),
  copies: z.int().min(1).max(100).optional(),
});
export const SettingsChange = z.strictObject({
  refuseBy: z.enum(['answer', 'status']).optional(),
  testNumber: z.boolean().optional(),
  statuses: z.boolean().optional(),
  templates: z.array(z.string()).optional(),
  retryMs: z.int().min(1).optional(),
});
/** Raw webhook body; `secret` signs it, null omits the signature. */
const RawPost = z.strictObject({ text: z.string(), secret: z.string().nullable().optional() });

/** Serves the state and actions of people as JSON; a refusal has `ok: false` and `error`. */
export function registerPeopleApi(app: FastifyInstance, deps: GraphDeps): void {
  const { store } = deps;
  app.get('/api/people', async () => [...store.people.values()]);
  app.post('/api/people', async (request) => {
    const person = NewPerson.parse(request.body);
    store.people.set(person.id, person);
    return { ok: true, ...person };
  });
  app.get<{ Params: { id: string } }>('/api/people/:id/messages', async (request) => {
    // A person who has blocked the bot does not see its messages.
    return store.messagesOf(request.params.id).filter(({ status }) => status !== 'sent');
  });
  app.post('/api/messages', async (request) =>
    toAnswer(actions.sendText(deps, actions.TextMessage.parse(request.body))),
  );
  app.post('/api/presses', async (request) =>
    toAnswer(actions.pressButton(deps, actions.ButtonPress.parse(request.body))),
  );
  app.post('/api/files', async (request) => toAnswer(actions.sendFile(deps, actions.FileMessage.parse(request.body))));
  app.post('/api/others', async (request) =>
    toAnswer(actions.sendOtherMessage(deps, actions.OtherMessage.parse(request.body))),
  );
  app.post('/api/blocks', async (request) => {
    actions.setBlocked(deps, actions.BlockRequest.parse(request.body));
    return { ok: true };
  });
  app.post('/api/reads', async (request) => {
    actions.markAllRead(deps, actions.ReadRequest.parse(request.body));
    return { ok: true };
  });
  app.get('/api/events', async (request) => {
    const { after, timeoutMs } = Events.parse(request.query);
    return store.eventsAfter(after, AbortSignal.any([deps.closing, AbortSignal.timeout(timeoutMs)]));
  });
}

/** Serves routes for tests: clock, faults, settings, webhooks, and the bot's calls. */
export function registerTestApi(app: FastifyInstance, { store, webhooks, faults }: GraphDeps): void {
  app.post('/api/webhook', async (request, reply) => {
    const { urls } = z.strictObject({ urls: z.array(z.url()).min(1) }).parse(request.body);
    const error = await webhooks.subscribe(urls);
    return error === null ? { ok: true } : reply.code(400).send({ ok: false, error });
  });
  app.post('/api/webhook/hold', async () => {
    webhooks.isHeld = true;
    return { ok: true };
  });
  app.post('/api/webhook/flush', async (request) => {
    webhooks.isHeld = false;
    webhooks.flush(Flush.parse(request.body));
    return { ok: true };
  });
  app.post('/api/webhook/raw', async (request) => {
    const { text, secret } = RawPost.parse(request.body);
    return { ok: true, ...(await webhooks.post(text, secret)) };
  });
  app.post('/api/webhook/repeat', async () => ({ ok: true, ...(await webhooks.repeat()) }));
  app.get('/api/webhook', async () => ({ ok: true, pending: webhooks.pending }));
  app.post('/api/clock', async (request) => {
    const { advanceMs } = z.strictObject({ advanceMs: z.int().nonnegative() }).parse(request.body);
    store.advance(advanceMs);
    return { ok: true, now: store.now() };
  });
  app.post('/api/faults', async (request) => {
    faults.add(Fault.parse(request.body));
    return { ok: true };
  });
  app.delete('/api/faults', async () => {
    faults.clear();
    return { ok: true };
  });
  app.post('/api/settings', async (request) => {
    Object.assign(store.settings, SettingsChange.parse(request.body));
    return { ok: true, ...store.settings };
  });
  app.get('/api/calls', async () => store.calls);
}

function toAnswer({ id }: { readonly id: string }): { readonly ok: true; readonly messageId: string } {
  return { ok: true, messageId: id };
}
