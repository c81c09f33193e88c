import { say } from '@signalbox/messages/say';
import type { FoundErrors } from '@signalbox/store/deploy/error-groups';
import type { HealthState } from './latencies.ts';
import type { HealthMeasurements, Verdict } from './verdict.ts';

/** Kinds of trouble whose errors are counted elsewhere: crashes when they happen, other errors by log lines. */
const COUNTED_ELSEWHERE: ReadonlySet<Verdict['kind']> = new Set(['crash-loop', 'oom', 'exited', 'restarts', 'errors']);

/** Finds crashes since the last probe: restarts and a final exit. `isLost`: killed from outside, which is no crash. Pure. */
export function findCrashErrors(
  memory: Pick<HealthState, 'ended' | 'instance'>,
  { process, newRestarts, release }: Pick<HealthMeasurements, 'process' | 'newRestarts' | 'release'>,
  probe: { readonly instance: string | null; readonly isLost: boolean },
): readonly FoundErrors[] {
  if (process === null || probe.isLost) return [];
  const how = process.oom ? 'out of memory' : `exit code ${process.exitCode ?? 'unknown'}`;
  const error = (kind: string, sample: string, count: number): FoundErrors => ({
    fingerprint: `health:${kind}:${how}`,
    source: 'health',
    sample,
    release,
    at: null,
    count,
  });
  const wasEnded = memory.ended && memory.instance === probe.instance;
  return [
    ...(newRestarts > 0 ? [error('crash', say('health.crashed', { how }), newRestarts)] : []),
    ...(process.running || wasEnded ? [] : [error('end', say('health.endedForGood', { how }), 1)]),
  ];
}

/** Converts an incident to an error of its service; null when its errors are counted elsewhere. */
export function toIncidentError({ kind, because }: Verdict, release: string | null): FoundErrors | null {
  if (kind === null || COUNTED_ELSEWHERE.has(kind)) return null;
  return { fingerprint: `health:incident:${kind}`, source: 'health', sample: because, release, at: null, count: 1 };
}
