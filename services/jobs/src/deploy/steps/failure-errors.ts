import type { FoundErrors } from '@signalbox/store/deploy/error-groups';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import { fingerprintOf, groupErrors } from '../../logs/error-lines.ts';

const KINDS = 10;

/**
 * Collects the errors of a failed deployment: its failure, and errors in its last lines. Pure. Lines of a release that has served come with
 * the log of the service, and are skipped (`hasServed`).
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
