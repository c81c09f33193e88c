import type { FoundErrors } from '@signalbox/store/deploy/error-groups';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import { fingerprintOf, groupErrors } from '../../logs/error-lines.ts';

/** Kinds of errors that one failed deployment adds at most. */
const KINDS = 10;

/**
 * What a deployment that failed adds to the errors of its service: why it failed, and the errors among its last lines. Pure. Lines of
 * a release that has served are read with the log of the service, and are left out (`hasServed`).
 */
export function failureErrors(
  { failure, release }: Pick<WorkRow, 'failure' | 'release'>,
  hasServed: boolean,
): readonly FoundErrors[] {
  if (failure === null) return [];
  const error = (sample: string, count: number): FoundErrors => ({
    fingerprint: `deploy:${fingerprintOf(sample)}`,
    source: 'deploy',
    sample,
    release,
    at: null,
    count,
  });
  const lines = hasServed ? [] : groupErrors(failure.lines.map((line) => ({ at: null, stream: 'err' as const, line })));
  return [error(failure.sentence, 1), ...lines.slice(0, KINDS).map(({ sample, count }) => error(sample, count))];
}
