import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BotError } from '../bot-error.ts';
import type { Parameters } from './bot-parameters.ts';
import type { CallProblems } from './call-check.ts';
import type { LoggedCall, CallLog } from './call-log.ts';
import { createInjectedError, type Fault, type Faults } from './faults.ts';
import type { Store } from '../store/store.ts';

export interface BotApiDeps {
  readonly store: Store;
  readonly token: string;
  readonly faults: Faults;
  readonly calls: CallLog;
  /** Aborts when the simulator closes. */
  readonly closing: AbortSignal;
}

export interface BotCall {
  readonly deps: BotApiDeps;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly method: string;
  /** Arrival time, from `readArrivalTime`. */
  readonly arrivedAt: number;
  readonly parameters: Pick<Parameters, 'values' | 'files'>;
  readonly problems: CallProblems;
  /** Runs the method. The signal aborts when the bot disconnects or the simulator closes. Throws BotError. */
  readonly run: (signal: AbortSignal) => unknown;
  readonly send: (reply: FastifyReply, result: unknown) => FastifyReply;
}

/** Runs a Bot API call with its queued faults. Order: log, delay, hang or drop, injected error or method, hang or drop. */
export async function serveCall(options: BotCall): Promise<FastifyReply> {
  const { deps, request, reply, method, parameters } = options;
  const call = deps.calls.start({ method, at: options.arrivedAt, params: toLogged(parameters), ...options.problems });
  const fault = deps.faults.take(method, call.chatId);
  const signal = AbortSignal.any([deps.closing, watchHangUp(reply)]);
  if (fault?.delayMs) await waitUnlessAborted(fault.delayMs, signal);
  if (fault?.hang === 'before') await waitUnlessAborted(FOREVER_MS, signal);
  if (fault?.dropConnection === 'before' || fault?.hang === 'before') return dropConnection(request, reply, call);
  const outcome = await runMethod(options, fault, signal);
  if (outcome.refusal) {
    const { refusal } = outcome;
    call.status = refusal.code;
    if (refusal.cause) request.log.error(refusal.cause, 'a Bot API method failed');
    return sendError(reply, refusal);
  }
  if (fault?.hang === 'after') await waitUnlessAborted(FOREVER_MS, signal);
  if (fault?.dropConnection === 'after' || fault?.hang === 'after') return dropConnection(request, reply, call);
  call.status = 200;
  return options.send(reply, outcome.result);
}

/** Sends a Telegram error response. */
export function sendError(reply: FastifyReply, error: BotError): FastifyReply {
  const { retryAfter, migrateToChatId, html } = error.details;
  // Telegram sends retry_after in the body and as a header.
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  if (html !== undefined) return reply.code(error.code).type('text/html').send(html);
  const parameters = {
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...(migrateToChatId === undefined ? {} : { migrate_to_chat_id: migrateToChatId }),
  };
  return reply.code(error.code).send({
    ok: false,
    error_code: error.code,
    description: error.message,
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  });
}

type Outcome = { readonly refusal: BotError } | { readonly refusal: null; readonly result: unknown };

async function runMethod({ run }: BotCall, fault: Fault | null, signal: AbortSignal): Promise<Outcome> {
  if (fault?.error) return { refusal: createInjectedError(fault.error) };
  try {
    return { refusal: null, result: await run(signal) };
  } catch (error) {
    if (error instanceof BotError) return { refusal: error };
    return { refusal: Object.assign(new BotError(500, 'Internal Server Error'), { cause: error }) };
  }
}

/** Logs the metadata of files instead of their bytes. */
function toLogged({ values, files }: BotCall['parameters']): Readonly<Record<string, unknown>> {
  if (files.size === 0) return values;
  const uploads = [...files].map(([field, { name, mimeType, bytes }]) => [
    field,
    { name, mimeType, sizeBytes: bytes.length },
  ]);
  return { ...values, ...Object.fromEntries(uploads) };
}

function dropConnection(request: FastifyRequest, reply: FastifyReply, call: LoggedCall): FastifyReply {
  call.status = 0;
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}

/** Returns a signal that aborts when the bot disconnects before the response. */
function watchHangUp(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The longest delay that a Node timer allows. */
const FOREVER_MS = 2 ** 31 - 1;

async function waitUnlessAborted(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(delayMs, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
