import { randomUUID } from 'node:crypto';
import { sleep, waitAtMost } from '@signalbox/contracts/time';
import { runInBackground } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Redis } from '../redis.ts';
import { ENTER, LEAVE, QUEUE_KEYS, REFUSE, RENEW } from './scripts.ts';

/*
 * Permits for a service that takes only so many calls, shared by all processes through Redis.
 *
 *   enter ─┬─ free ───────────────────────────────▶ permit ─┬─ leave
 *          └─ waits by turn of its person, asks again ──┘   └─ refuse: all processes pause, the limit falls
 *
 * The limit is what was configured, and what refusals taught: each refused call lowers it, and it grows again while calls wait. Without
 * Redis each process counts its own permits and keeps its own pauses. A call gives up when its patience ends.
 */

/** A process that died keeps its permits for this time. Most calls end before they are renewed. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** A call that waits asks this often: the next in line soonest. */
const ASK_MS = 50;
const MAX_ASK_MS = 1_000;
/** Time after which a waiting call without a sign of life is forgotten. */
const GONE_MS = 5 * MAX_ASK_MS;
/** Redis normally answers within a millisecond; without an answer a call goes on. */
const ANSWER_MS = 1_000;
/** The limit grows at most this often: each step too far is a refused call. */
const GROW_MS = 10_000;
/** A wait that a person should know of, and the time between two notices. */
const NOTICE_AFTER_MS = 3_000;
const NOTICE_EVERY_MS = 5_000;

export interface PermitRequest {
  /** Whose turn it takes: a person with many calls gets one per turn. */
  readonly person: string;
  readonly signal: AbortSignal;
  /** The longest wait, in milliseconds. */
  readonly patienceMs: number;
  /** True for a call that was refused: it goes before all that wait. */
  readonly isBack: boolean;
  /** Called with the number of calls before this one when the wait is long, and with null when it ends in a permit. */
  readonly onWait: (before: number | null) => void;
}

export interface Permit {
  leave(): void;
  /** The service refused the call: nobody enters for `pauseMs`. */
  refuse(pauseMs: number): Promise<void>;
}

export interface PermitQueue {
  /** Resolves with a permit; null when the wait is longer than the patience. Throws the signal's reason. */
  enter(request: PermitRequest): Promise<Permit | null>;
}

/** Returns a function that opens the queue of a service by its name. Calls nothing. */
export function createPermitQueues(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  /** The most calls at once; null when only refusals limit them. */
  readonly max: number | null;
  readonly log: Log;
}): (service: string) => PermitQueue {
  const opened = new Map<string, PermitQueue>();
  return (service) => {
    const queue = opened.get(service) ?? createQueue(deps, service);
    opened.set(service, queue);
    return queue;
  };
}

type Place = 'free' | { readonly before: number | null; readonly pausedMs: number };

/** What one process knows of a queue without Redis. */
interface OwnState {
  running: number;
  pausedUntilMs: number;
}

type RunScript = (script: string, ...values: readonly (string | number)[]) => Promise<unknown>;

function createQueue(deps: Parameters<typeof createPermitQueues>[0], service: string): PermitQueue {
  const { max, log } = deps;
  const own: OwnState = { running: 0, pausedUntilMs: 0 };
  const run = createScriptRunner(deps, service);

  const findPlace = async (member: string, { person, isBack }: PermitRequest): Promise<Place> => {
    const shared = await run(ENTER, member, person, max ?? 0, LEASE_MS, GONE_MS, isBack ? 1 : 0);
    if (!Array.isArray(shared)) {
      const pausedMs = Math.max(0, own.pausedUntilMs - performance.now());
      return pausedMs === 0 && own.running < (max ?? Number.POSITIVE_INFINITY) ? 'free' : { before: null, pausedMs };
    }
    const [isFree, before = 0, pausedMs = 0] = shared as number[]; // ENTER returns integers
    return isFree === 1 ? 'free' : { before, pausedMs };
  };

  return {
    enter: async (request) => {
      const { signal, patienceMs, onWait } = request;
      const member = randomUUID();
      const startedAt = performance.now();
      let told: number | null = null;
      let noticeMs = NOTICE_AFTER_MS;
      for (;;) {
        const place = signal.aborted ? null : await findPlace(member, request);
        if (place === 'free' && !signal.aborted) {
          if (told !== null) onWait(null);
          return createPermit(member, { service, own, run, log });
        }
        const waitedMs = performance.now() - startedAt;
        if (place === null || place === 'free' || waitedMs + Math.max(1, place.pausedMs) > patienceMs) {
          runInBackground(log, 'permit', run(LEAVE, member));
          signal.throwIfAborted();
          return null;
        }
        const { before, pausedMs } = place;
        if (before !== null && before !== told && waitedMs >= noticeMs) {
          told = before;
          noticeMs = waitedMs + NOTICE_EVERY_MS;
          onWait(before);
        }
        const askMs = Math.min(MAX_ASK_MS, Math.max(pausedMs, ASK_MS * ((before ?? 0) + 1)));
        await sleep(Math.min(askMs, patienceMs - waitedMs + 1), signal);
      }
    },
  };
}

/** Runs a script on the keys of a queue; undefined when Redis is away or slow, for then a call goes on without it. */
function createScriptRunner(
  { redis, prefix, log }: Parameters<typeof createPermitQueues>[0],
  service: string,
): RunScript {
  // One hash tag, so that a cluster keeps all keys of a queue in one place.
  const keys = QUEUE_KEYS.map((key) => `${prefix}{permits:${service}}:${key}`);
  let isShared = true;
  return async (script, ...values) => {
    if (redis.status !== 'ready') return undefined;
    const answer = redis.eval(script, keys.length, ...keys, ...values).then((value) => ({ value }));
    const given = await waitAtMost(answer, ANSWER_MS).catch((error: unknown) => {
      if (isShared) log.warn('permits are not shared, each process limits itself', { service, error });
      isShared = false;
    });
    if (given) isShared = true;
    return given?.value;
  };
}

function createPermit(
  member: string,
  {
    service,
    own,
    run,
    log,
  }: {
    readonly service: string;
    readonly own: OwnState;
    readonly run: RunScript;
    readonly log: Log;
  },
): Permit {
  const held = new AbortController();
  own.running += 1;
  const end = (): boolean => {
    if (held.signal.aborted) return false;
    held.abort();
    own.running -= 1;
    return true;
  };
  const renew = async (): Promise<void> => {
    for (;;) {
      await sleep(RENEW_MS, held.signal);
      if (held.signal.aborted) return;
      await run(RENEW, member, LEASE_MS);
    }
  };
  runInBackground(log, 'permit', renew());
  return {
    leave: () => {
      if (end()) runInBackground(log, 'permit', run(LEAVE, member));
    },
    refuse: async (pauseMs) => {
      if (!end()) return;
      const ms = Math.max(1, Math.round(pauseMs));
      log.info('a service limits our calls, all processes pause', { service, pauseMs: ms });
      own.pausedUntilMs = Math.max(own.pausedUntilMs, performance.now() + ms);
      await run(REFUSE, member, ms, GROW_MS);
    },
  };
}
