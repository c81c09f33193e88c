import type { FastifyInstance, FastifyReply } from 'fastify';
import { type BotApiDeps, sendError, serveCall } from './bot-call.ts';
import { BotError } from '../bot-error.ts';
import { findMethod } from './bot-methods.ts';
import type { Parameters } from './bot-parameters.ts';
import { checkCall } from './call-check.ts';
import { readArrivalTime } from './call-log.ts';
import { FormBody, type Upload } from './multipart.ts';

interface CallRequest {
  readonly Params: { readonly token: string; readonly method: string };
  readonly Querystring: Readonly<Record<string, unknown>>;
}

export function registerBotApi(app: FastifyInstance, deps: BotApiDeps): void {
  app.route<CallRequest>({
    method: ['GET', 'POST'],
    url: '/bot:token/:method',
    handler: async (request, reply) => {
      const arrivedAt = readArrivalTime();
      const { token, method } = request.params;
      if (token !== deps.token) return sendError(reply, new BotError(401, 'Unauthorized'));
      if (request.method !== 'POST' && !isReading(method)) return sendError(reply, new BotError(405, notByGet(method)));
      const parameters = readParameters(request.query, request.body);
      const { wrong, ...problems } = checkCall(method, parameters.values, parameters.files);
      const run = (signal: AbortSignal): unknown => {
        const found = findMethod(method);
        if (!found) throw new BotError(404, 'Not Found');
        return found(deps.store, { ...parameters, wrong }, signal);
      };
      const send = (target: FastifyReply, result: unknown): FastifyReply => target.send({ ok: true, result });
      return serveCall({ deps, request, reply, method, arrivedAt, parameters, problems, run, send });
    },
  });
}

/** True for methods without side effects. Telegram allows GET for all, but here any web page could send one, for example as an image. */
function isReading(method: string): boolean {
  return /^get/i.test(method) && !/^getupdates$/i.test(method);
}

function notByGet(method: string): string {
  return `Method Not Allowed: ${method} changes something, and the simulator takes that with POST only. Send the same parameters with POST.`;
}

type Sent = Pick<Parameters, 'values' | 'files'>;

/** Reads parameters from the query and from an object or form body; ignores other bodies. */
function readParameters(query: Readonly<Record<string, unknown>>, body: unknown): Sent {
  const files = body instanceof FormBody ? body.files : new Map<string, Upload>();
  const fields: unknown = body instanceof FormBody ? body.fields : body;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return { values: query, files };
  // Libraries send null for omitted parameters.
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return { values: { ...query, ...Object.fromEntries(given) }, files };
}
