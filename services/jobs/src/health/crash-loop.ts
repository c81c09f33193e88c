import { MINUTE_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { MAX_RESTARTS } from '../drivers/driver.ts';

/** Limits at which restarts become a crash loop, and at which the loop is stopped. */
export interface CrashLoopLimits {
  /** This many restarts within `withinMs` are a crash loop. */
  readonly restarts: number;
  readonly withinMs: number;
  /** This many restarts within `withinMs`, or a loop that lasts `lastsMs`, stop the program for good. */
  readonly stopRestarts: number;
  readonly lastsMs: number;
}

/**
 * A restarting database causes two or three crashes, so five are a loop. Supervisors wait longer before each restart and a program may
 * run for half a minute, hence three minutes. Ten restarts take at least a minute; a program that crashes more slowly gets ten minutes.
 */
export const CRASH_LOOP_LIMITS: CrashLoopLimits = {
  restarts: 5,
  withinMs: 3 * MINUTE_MS,
  stopRestarts: MAX_RESTARTS,
  lastsMs: 10 * MINUTE_MS,
};

/** Maximum of stored counts; a run of equal counts is stored as two. */
const MAX_ENTRIES = 60;

/** Restart counts of an instance over time, from earlier probes. */
export const CrashHistory = z.object({
  /** Reference and start time of the counted instance. */
  begun: z.string().nullable(),
  seen: z.array(z.object({ at: z.number(), restarts: z.number().int() })),
  /** When the crash loop started, in milliseconds since 1970; null outside a crash loop. */
  since: z.number().nullable(),
});
export type CrashHistory = z.infer<typeof CrashHistory>;

export const NO_CRASHES: CrashHistory = { begun: null, seen: [], since: null };

export interface CrashLoop {
  readonly restarts: number;
  /** The period in which these restarts happened, in milliseconds. */
  readonly withinMs: number;
  /** True when the crash loop's limit is reached or the supervisor has given up. */
  readonly isOver: boolean;
  /** True when the program was stopped for good. */
  readonly isStopped: boolean;
}

export interface RestartProbe {
  readonly instance: { readonly ref: string; readonly startedAt: string };
  readonly restarts: number;
  /** True when the program crashed and its supervisor will not restart it. */
  readonly isGivenUp: boolean;
  readonly at: number;
}

/** Adds a probe's restart count. Counts from the window's earliest probe, as older restarts have no known time. Pure. */
export function addRestarts(
  before: CrashHistory,
  { instance, restarts, isGivenUp, at }: RestartProbe,
  limits: CrashLoopLimits = CRASH_LOOP_LIMITS,
): { readonly memory: CrashHistory; readonly loop: CrashLoop | null } {
  const begun = `${instance.ref} ${instance.startedAt}`;
  const startedAt = Date.parse(instance.startedAt);
  const isSame = before.begun === begun && (before.seen.at(-1)?.restarts ?? 0) <= restarts;
  // A new instance started with zero restarts at a known time; for any other instance, counting begins now.
  const first = before.begun === begun || Number.isNaN(startedAt) ? [] : [{ at: startedAt, restarts: 0 }];
  const inWindow = (isSame ? before.seen : first).filter((one) => at - one.at <= limits.withinMs);
  const isStill = inWindow.length > 1 && inWindow.slice(-2).every((one) => one.restarts === restarts);
  const seen = [...(isStill ? inWindow.slice(0, -1) : inWindow), { at, restarts }].slice(-MAX_ENTRIES);
  const [base] = seen;
  const counted = restarts - (base?.restarts ?? restarts);
  if (counted < limits.restarts) return { memory: { begun, seen, since: null }, loop: null };
  const since = (isSame ? before.since : null) ?? at;
  const isOver = isGivenUp || counted >= limits.stopRestarts || at - since >= limits.lastsMs;
  const withinMs = at - (base?.at ?? at);
  return { memory: { begun, seen, since }, loop: { restarts: counted, withinMs, isOver, isStopped: false } };
}
