import { say } from '@signalbox/messages/say';
import type { FoundErrors } from '@signalbox/store/deploy/error-groups';
import type { HealthMemory } from './latencies.ts';
import type { HealthMeasurements, Verdict } from './verdict.ts';

/** Kinds of incidents that are counted as they happen: crashes one by one, errors by the lines of the log. */
const COUNTED_ELSEWHERE: ReadonlySet<Verdict['kind']> = new Set(['crash-loop', 'oom', 'exited', 'restarts', 'errors']);

/**
 * Crashes that a look has seen and the looks before had not: starts after a crash, and an end. Pure: what was remembered is stored
 * together with what is counted, so that no crash counts twice. `isLost`: it was ended from outside, which is no crash.
 */
export function crashErrors(
  memory: Pick<HealthMemory, 'ended' | 'instance'>,
  { process, newRestarts, release }: Pick<HealthMeasurements, 'process' | 'newRestarts' | 'release'>,
  look: { readonly instance: string | null; readonly isLost: boolean },
): readonly FoundErrors[] {
  if (process === null || look.isLost) return [];
  const how = process.oom ? 'out of memory' : exitOf(process.exitCode);
  const error = (kind: string, sample: string, count: number): FoundErrors => ({
    fingerprint: `health:${kind}:${how}`,
    source: 'health',
    sample,
    release,
    at: null,
    count,
  });
  const wasEnded = memory.ended && memory.instance === look.instance;
  return [
    ...(newRestarts > 0 ? [error('crash', say('health.crashed', { how }), newRestarts)] : []),
    ...(process.running || wasEnded ? [] : [error('end', say('health.endedForGood', { how }), 1)]),
  ];
}

/** An incident as an error of its service, counted when it is opened; null for one whose cause is counted by itself. */
export function incidentError({ kind, because }: Verdict, release: string | null): FoundErrors | null {
  if (kind === null || COUNTED_ELSEWHERE.has(kind)) return null;
  return { fingerprint: `health:incident:${kind}`, source: 'health', sample: because, release, at: null, count: 1 };
}

function exitOf(code: number | null): string {
  return code === null ? 'exit code unknown' : `exit code ${code}`;
}
