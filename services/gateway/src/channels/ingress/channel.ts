import { say } from '@signalbox/messages/say';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import type { Pool } from '@signalbox/store/pool';
import type { FastifyInstance } from 'fastify';
import type { Channel, ThrottleOptions } from '../channel.ts';
import { createUpdateBatcher } from '../http/batches.ts';
import { createUpdateSink, startAttachedListener } from '../http/sink.ts';
import { INGRESS_ACCOUNT } from './chat-key.ts';
import { createSourceLimit } from './receive/rate-limit.ts';
import { registerRoutes } from './receive/routes.ts';
import type { AdmitEvents } from './receive/take-event.ts';
import type { VerifyToken } from './gates/token.ts';
import { createPusher } from './send/push.ts';
import { createSender, encodeMessage, type IngressPart } from './send/sender.ts';
import { registerHooks, type HookDeps } from './alarms/hooks.ts';
import type { Sources } from './sources.ts';

/** Programs accept more messages than people read. All conversations of a source share its rate. */
const THROTTLE: ThrottleOptions = {
  sendsPerSecond: 500,
  chatSendsPerSecond: 50,
  chatBurst: 100,
  groupSendsPerMinute: 60,
};
/** A program polls for answers once a second, for several events. */
const READS_PER_EVENT = 20;
/** One deployment can fail many alarms and runs at once. */
const ALARMS_PER_EVENT = 5;

/** Creates the channel for programs. `register` adds its routes to a server. */
export function createIngress(options: {
  readonly sources: Sources;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly prefix: string;
  readonly log: Log;
  /** Events that a source may send within ten seconds. */
  readonly maxEvents: number;
  readonly wakeLanes: HookDeps['wake'];
  /** Address of the API of GitHub. */
  readonly githubApi: string;
  readonly verifyToken: VerifyToken;
}): Channel<IngressPart> & Closable & { register(app: FastifyInstance): Promise<void> } {
  const { pool, redis, prefix, log, maxEvents, wakeLanes, githubApi, verifyToken } = options;
  const sources = new Map(options.sources.programs.map((source) => [source.name, source]));
  const forges = new Map(options.sources.forges.map((source) => [source.name, source]));
  const alarms = new Map(options.sources.alarms.map((source) => [source.name, source]));
  const limits = { events: maxEvents, reads: maxEvents * READS_PER_EVENT, alarms: maxEvents * ALARMS_PER_EVENT };
  const limit = createSourceLimit({ redis, prefix, limits, log });
  const pusher = createPusher();
  const { send, edit } = createSender({ pool, sources: new Map([...sources, ...forges]), pusher, log });
  const sink = createUpdateSink<AdmitEvents>();

  return {
    name: 'ingress',
    bot: INGRESS_ACCOUNT,
    way: 'webhook',
    // Nobody knows who reads on the other side, and programs decide nothing.
    takesDecisions: false,
    fileLimitBytes: 0,
    throttle: THROTTLE,
    throttleOf: () => 'private',
    encode: encodeMessage,
    send,
    edit,
    register: async (app) => {
      await registerRoutes(app, { pool, limit, log, sources, verifyToken, sink: sink.current });
      const gates = { forges, githubApi, sink: sink.current };
      await registerHooks(app, { pool, limit, log, sources: alarms, wake: wakeLanes, gates });
    },
    close: () => pusher.close(),
    listen: (admit) => {
      const take = createUpdateBatcher(admit);
      return startAttachedListener({
        detach: sink.attach(take),
        problem: () => (sink.current() === take ? null : say('gateway.not-listening', { channel: 'ingress' })),
      });
    },
  };
}
