import type { ServiceDiagnosisResult } from '@signalbox/contracts/operations/operations';
import { sayDuration } from '@signalbox/messages/duration';
import { formatSeconds } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { isSlow, type HealthMeasurements, type TroubleKind, type Verdict } from './verdict.ts';

/** Further facts about a diagnosed service. */
export interface DiagnosisContext {
  readonly previous: ServiceDiagnosisResult['previous'];
  /** False when the release before was not well when it was replaced. */
  readonly isPreviousHealthy: boolean;
  readonly servingForMs: number | null;
  /** True while a deployment is in progress. */
  readonly isMoving: boolean;
  readonly errorKinds: number;
}

/** Kinds of trouble that another release may not have. */
const OF_RELEASE: ReadonlySet<TroubleKind> = new Set([
  'crash-loop',
  'oom',
  'exited',
  'down',
  'restarts',
  'slow',
  'errors',
]);

/** Proposes the next action, with reasons that the verdict does not state. Pure. */
export function proposeAction(
  found: HealthMeasurements,
  { verdict, kind, because }: Verdict,
  around: DiagnosisContext,
): ServiceDiagnosisResult['proposal'] {
  const { previous, isPreviousHealthy, servingForMs, isMoving, errorKinds } = around;
  if (verdict === 'nothing-deployed') return { action: 'deploy', because: null };
  if (isMoving) return { action: 'wait', because: say('health.isMoving') };
  const age = { isAgeKnown: servingForMs !== null, age: servingForMs === null ? '' : sayDuration(servingForMs) };
  if (kind === null) {
    return errorKinds === 0
      ? { action: 'none', because: say('health.nothingWrong') }
      : { action: 'look-at-logs', because: say('health.errorsAllTheSame', { kinds: errorKinds }) };
  }
  if (kind === 'wrong-release') return { action: 'wait', because: say('health.maySettle') };
  if (!OF_RELEASE.has(kind) || previous === null)
    return { action: 'look-at-logs', because: previous === null ? say('health.nothingBefore') : null };
  if (!isPreviousHealthy) return { action: 'look-at-logs', because: say('health.unhealthyBefore') };
  const reason = compare(found, kind, previous) ?? because.replace(/\.$/, '');
  return { action: 'rollback', because: say('health.rollBack', { because: reason, ...age }) };
}

/** Compares the latencies of two releases in a sentence; null when they are not comparable. */
function compare(
  found: HealthMeasurements,
  kind: TroubleKind,
  previous: NonNullable<ServiceDiagnosisResult['previous']>,
): string | null {
  const latencyMs = found.proxy?.latencyMs ?? null;
  const { usualLatencyMs, release } = previous;
  if (kind !== 'slow' || latencyMs === null || usualLatencyMs === null || !isSlow(latencyMs, usualLatencyMs))
    return null;
  return say('health.slower', {
    release: found.release ?? say('health.whatServes'),
    time: formatSeconds(latencyMs),
    before: release ?? say('health.whatServedBefore'),
    usual: formatSeconds(usualLatencyMs),
  });
}
