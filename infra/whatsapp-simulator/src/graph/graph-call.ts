import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Fault, Faults } from '../faults.ts';
import type { Store } from '../store/store.ts';
import type { Webhooks } from '../webhook/webhooks.ts';
import { GraphError } from './graph-error.ts';

export interface GraphDeps {
  readonly store: Store;
  readonly faults: Faults;
  readonly webhooks: Webhooks;
  readonly token: string;
  readonly phoneNumberId: string;
  /** Such as `v26.0`; other versions are not served. */
  readonly version: string;
  /** Aborts when the simulator closes. */
  readonly closing: AbortSignal;
}

export interface GraphCall {
  readonly deps: GraphDeps;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly what: Exclude<Fault['what'], '*'>;
  readonly to: string | null;
  /** Body as logged. */
  readonly body: unknown;
  readonly problems: readonly string[];
  /** Runs the call. Throws GraphError. */
  readonly run: () => object | Buffer;
}

/** Handles a bot's call with its queued faults: token, delay, dropped connection, error, effect, dropped connection. */
export async function serveCall(call: GraphCall): Promise<FastifyReply> {
  const { deps, request, reply, what, to } = call;
  const note = (status: number, code: number | null): void =>
    deps.store.log({ what, to, body: call.body, problems: call.problems, status, code });
  const drop = (): FastifyReply => {
    note(0, null);
    reply.hijack();
    request.raw.socket.resetAndDestroy();
    return reply;
  };
  if (request.headers.authorization !== `Bearer ${deps.token}`) {
    note(401, 190);
    const refused = new GraphError(190);
    return reply.code(refused.status).send(refused.body);
  }
  const fault = deps.faults.take(what, to);
  if (fault?.delayMs) await wait(fault.delayMs, undefined, { signal: deps.closing }).catch(() => undefined);
  if (fault?.dropConnection === 'before') return drop();
  if (fault?.html !== undefined) {
    note(fault.status ?? 502, null);
    return reply
      .code(fault.status ?? 502)
      .type('text/html')
      .send(fault.html);
  }
  const outcome = attempt(call, fault);
  if (outcome instanceof GraphError) {
    note(outcome.status, outcome.code);
    if (fault?.retryAfter !== undefined) void reply.header('retry-after', fault.retryAfter);
    return reply.code(outcome.status).send(outcome.body);
  }
  if (fault?.dropConnection === 'after') return drop();
  note(200, null);
  return reply.send(outcome);
}

function attempt(call: GraphCall, fault: Fault | null): object | Buffer | GraphError {
  if (fault?.code !== undefined) return new GraphError(fault.code, undefined, fault.status);
  if (call.problems.length > 0) return new GraphError(100, call.problems.join('; '));
  try {
    return call.run();
  } catch (error) {
    if (error instanceof GraphError) return error;
    throw error;
  }
}
