import { MINUTE_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { RESTARTS } from '../drivers/driver.ts';

/** When a program that is started again and again is a crash loop, and when that ends. */
export interface LoopLimits {
  /** So many starts after a crash within `withinMs` are a crash loop. */
  readonly restarts: number;
  readonly withinMs: number;
  /** So many within `withinMs`, or a loop that lasts for `lastsMs`, and the program is stopped for good. */
  readonly stopRestarts: number;
  readonly lastsMs: number;
}

/**
 * Two or three crashes are what a database that is started anew costs, so five are the first that are no accident; three minutes, as
 * the supervisors wait longer each time (1 to 5 seconds, then longer), and a program may run for half a minute before it crashes. Ten
 * take a minute at the least: whatever a program waits for is there by then or needs a person. One that crashes more slowly, and so
 * never ten times within three minutes, gets ten minutes.
 */
export const LOOP: LoopLimits = {
  restarts: 5,
  withinMs: 3 * MINUTE_MS,
  stopRestarts: RESTARTS,
  lastsMs: 10 * MINUTE_MS,
};

/** Far more than looks leave: runs of looks that saw the same count are kept as two. */
const KEPT = 60;

/** What the looks before have left: how often an instance had been started again at which time. */
export const CrashMemory = z.object({
  /** Which start of which instance is counted. */
  begun: z.string().nullable(),
  seen: z.array(z.object({ at: z.number(), restarts: z.number().int() })),
  /** Since when it is in a loop, in milliseconds since 1970. */
  since: z.number().nullable(),
});
export type CrashMemory = z.infer<typeof CrashMemory>;

export const NO_CRASHES: CrashMemory = { begun: null, seen: [], since: null };

/** A loop that lasts, or one that was ended. */
export interface CrashLoop {
  readonly restarts: number;
  /** They came within so long. */
  readonly withinMs: number;
  /** The limit is reached: it is to be stopped, or its supervisor has given it up. */
  readonly isOver: boolean;
  /** It was stopped, for good. */
  readonly isStopped: boolean;
}

/** What a look has seen of the supervisor. */
export interface SeenRestarts {
  readonly instance: { readonly ref: string; readonly startedAt: string };
  readonly restarts: number;
  /** It ended after a crash, and its supervisor does not start it again. */
  readonly isGivenUp: boolean;
  readonly at: number;
}

/**
 * One more look. Pure. Counted is what was started again since the earliest look of the window: restarts from before it, or from while
 * nobody looked for longer than that, say nothing of how quickly they came.
 */
export function seeRestarts(
  before: CrashMemory,
  { instance, restarts, isGivenUp, at }: SeenRestarts,
  limits: LoopLimits = LOOP,
): { readonly memory: CrashMemory; readonly loop: CrashLoop | null } {
  const begun = `${instance.ref} ${instance.startedAt}`;
  const startedAt = Date.parse(instance.startedAt);
  const isSame = before.begun === begun && (before.seen.at(-1)?.restarts ?? 0) <= restarts;
  // Of a start that came a moment ago all of its restarts are known; a program that was started by hand counts from now on.
  const first = before.begun === begun || Number.isNaN(startedAt) ? [] : [{ at: startedAt, restarts: 0 }];
  const inWindow = (isSame ? before.seen : first).filter((one) => at - one.at <= limits.withinMs);
  const isStill = inWindow.length > 1 && inWindow.slice(-2).every((one) => one.restarts === restarts);
  const seen = [...(isStill ? inWindow.slice(0, -1) : inWindow), { at, restarts }].slice(-KEPT);
  const [base] = seen;
  const counted = restarts - (base?.restarts ?? restarts);
  if (counted < limits.restarts) return { memory: { begun, seen, since: null }, loop: null };
  const since = (isSame ? before.since : null) ?? at;
  const isOver = isGivenUp || counted >= limits.stopRestarts || at - since >= limits.lastsMs;
  const withinMs = at - (base?.at ?? at);
  return { memory: { begun, seen, since }, loop: { restarts: counted, withinMs, isOver, isStopped: false } };
}
