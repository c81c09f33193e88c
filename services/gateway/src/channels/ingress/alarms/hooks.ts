import { SECOND_MS, abortAfter, waitOrAbort } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';
import type { NotifiedLane } from '@signalbox/store/deploy/incident-news';
import type { Pool } from '@signalbox/store/pool';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { createRefusalLog } from '../../http/refusal-log.ts';
import type { createSourceLimit } from '../receive/rate-limit.ts';
import type { AlarmSource } from './alarm-source.ts';
import { isAuthentic } from './authentication.ts';
import { SIGNATURES } from './signatures.ts';
import { reportTrouble, takeAlarms } from './take-alarms.ts';
import { takeForgeEvent, type GateDeps } from '../gates/take-gate.ts';

/*
 * body within its size and time limits → source and proof, else 401 → rate limit, else 503 → stored and told, 200
 *
 * An unknown source is refused like a wrong proof, with the same work, so that an answer says nothing about which sources exist.
 */

/** Alertmanager groups hundreds of alerts in one request; GitHub describes a run in 30 KB. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Alertmanager waits 10 s by default, and most others at least as long. */
const ANSWER_MS = 9 * SECOND_MS;
/** The Retry-After of a request that could not be stored. */
const RETRY_SECONDS = 5;

/** Stands for an unknown source. Nobody can know the secret, because it is drawn at each start. */
const NOBODY = { kind: 'alertmanager', secrets: [crypto.randomUUID()] } as const;

export interface HookDeps {
  readonly pool: Pool;
  readonly log: Log;
  readonly limit: Pick<ReturnType<typeof createSourceLimit>, 'check'>;
  readonly sources: ReadonlyMap<string, AlarmSource>;
  /** Wakes the conversations of people who are told. */
  readonly wake: (lanes: readonly NotifiedLane[]) => Promise<void>;
  readonly gates: GateDeps;
}

/** Registers `POST /hooks/<source>`, where other programs report alarms, and forges ask for gates. */
export async function registerHooks(app: FastifyInstance, deps: HookDeps): Promise<void> {
  const { sources, log, limit, pool } = deps;
  const logRefusal = createRefusalLog(log, 'alarms');

  const answer = async (
    reply: FastifyReply,
    source: AlarmSource,
    request: { readonly body: Buffer; readonly headers: Readonly<Record<string, unknown>> },
  ): Promise<FastifyReply> => {
    const waitSeconds = await limit.check(source.name, 'alarms');
    if (waitSeconds !== null) {
      await deps.wake(await reportTrouble(pool, source, 'throttled'));
      // Alertmanager drops what is answered by 429, and repeats what is answered by 503.
      return refuse(reply, 503, waitSeconds);
    }
    const gate = await takeForgeEvent(pool, deps.gates, source, request.body);
    if (gate?.status === 503) return refuse(reply, 503, RETRY_SECONDS);
    const { status, body, notified } = gate ?? (await takeAlarms(pool, source, request.body, request.headers));
    await deps.wake(notified);
    return reply.code(status).send(body);
  };

  await app.register(async (scope) => {
    // Signatures cover the raw bytes, and senders name many types, so this scope parses nothing.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post<{ readonly Params: { readonly source: string } }>(
      '/hooks/:source',
      { bodyLimit: MAX_BODY_BYTES },
      async ({ params, headers, body: given }, reply) => {
        const body = Buffer.isBuffer(given) ? given : Buffer.alloc(0);
        const source = sources.get(params.source);
        const { kind, secrets } = source ?? NOBODY;
        const isProven = isAuthentic(SIGNATURES[kind], secrets, { headers, body, nowMs: Date.now() });
        if (!source || !isProven) {
          logRefusal(source ? 'bad-proof' : 'unknown-source');
          return reply.code(401).header('connection', 'close').send();
        }
        void reply.header('cache-control', 'no-store');
        try {
          return await waitOrAbort(answer(reply, source, { body, headers }), abortAfter(ANSWER_MS));
        } catch (error) {
          log.warn('alarms not taken, their sender is to repeat them', { source: source.name, error });
          return refuse(reply, 503, RETRY_SECONDS);
        }
      },
    );
  });
}

function refuse(reply: FastifyReply, status: 503, retrySeconds: number): FastifyReply {
  return reply.code(status).header('retry-after', retrySeconds).send();
}
