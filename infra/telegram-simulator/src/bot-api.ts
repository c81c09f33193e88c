import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toAnswerBody } from './bot-answer.ts';
import { BotError } from './bot-error.ts';
import { BOT_METHODS } from './bot-methods.ts';
import type { Call, CallLog } from './call-log.ts';
import type { Fault, Faults } from './faults.ts';
import type { World } from './world.ts';

export interface BotApiDeps {
  readonly world: World;
  readonly token: string;
  readonly faults: Faults;
  readonly calls: CallLog;
  /** Ends everything that waits when the simulator closes. */
  readonly closing: AbortSignal;
}

interface CallRequest {
  readonly Params: { readonly token: string; readonly method: string };
  readonly Querystring: Readonly<Record<string, unknown>>;
}

/**
 * Serves /bot<token>/<method>. A call goes: token, log, delay, drop "before" or injected error, method, drop "after".
 */
export function registerBotApi(app: FastifyInstance, deps: BotApiDeps): void {
  app.route<CallRequest>({
    method: ['GET', 'POST'],
    url: '/bot:token/:method',
    handler: async (request, reply) => {
      if (request.params.token !== deps.token) return sendError(reply, new BotError(401, 'Unauthorized'));
      const params = { ...request.query, ...readBody(request) };
      const call = deps.calls.start(request.params.method, params);
      const fault = deps.faults.take(call.method);
      const signal = AbortSignal.any([deps.closing, watchHangUp(reply)]);
      if (fault?.delayMs) await waitUnlessAborted(fault.delayMs, signal);
      if (fault?.dropConnection === 'before') return dropConnection(request, reply, call);
      return answer({ deps, request, reply, call, fault, signal });
    },
  });
}

/** Answers in Telegram's error shape. */
export function sendError(reply: FastifyReply, error: BotError): FastifyReply {
  const retryAfter = error.retryAfter;
  // Telegram says it twice: in the body and as a header.
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  return reply.code(error.code).send({
    ok: false,
    error_code: error.code,
    description: error.message,
    ...(retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } }),
  });
}

interface Answer {
  readonly deps: BotApiDeps;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly call: Call;
  readonly fault: Fault | null;
  readonly signal: AbortSignal;
}

async function answer({ deps, request, reply, call, fault, signal }: Answer): Promise<FastifyReply> {
  const outcome = await runMethod(deps.world, call, fault, signal);
  if (outcome.refusal) {
    const { refusal } = outcome;
    call.status = refusal.code;
    if (refusal.cause) request.log.error(refusal.cause, 'a Bot API method failed');
    return sendError(reply, refusal);
  }
  if (fault?.dropConnection === 'after') return dropConnection(request, reply, call);
  call.status = 200;
  return reply.send(toAnswerBody(outcome.result));
}

type Outcome = { readonly refusal: BotError } | { readonly refusal: null; readonly result: unknown };

async function runMethod(world: World, call: Call, fault: Fault | null, signal: AbortSignal): Promise<Outcome> {
  if (fault?.error) return { refusal: createInjectedError(fault.error) };
  const method = BOT_METHODS.get(call.method.toLowerCase());
  if (!method) return { refusal: new BotError(404, 'Not Found') };
  try {
    return { refusal: null, result: await method(world, call.params, signal) };
  } catch (error) {
    if (error instanceof BotError) return { refusal: error };
    return { refusal: Object.assign(new BotError(500, 'Internal Server Error'), { cause: error }) };
  }
}

/** Telegram's own sentence where a test gives none. */
function createInjectedError({ code, description, retryAfter }: NonNullable<Fault['error']>): BotError {
  const wait = retryAfter ?? (code === 429 ? 1 : undefined);
  const standard = code === 429 ? `Too Many Requests: retry after ${wait}` : STANDARD[code];
  return new BotError(code, description ?? standard ?? 'Internal Server Error', wait);
}

const STANDARD: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

function dropConnection(request: FastifyRequest, reply: FastifyReply, call: Call): FastifyReply {
  call.status = 0;
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

/** Ends when the bot hangs up before it got its answer. */
function watchHangUp(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

async function waitUnlessAborted(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(delayMs, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A body is an object of parameters; anything else has none. */
function readBody(request: FastifyRequest): Readonly<Record<string, unknown>> {
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  // Libraries write null for what is not given.
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
