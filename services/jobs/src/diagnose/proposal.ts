import type { ServiceDiagnosisResult } from '@signalbox/contracts/operations/operations';
import { sayDuration } from '@signalbox/messages/duration';
import { inSeconds, isSlow, type Found, type TroubleKind, type Verdict } from '../health/verdict.ts';

type Proposal = ServiceDiagnosisResult['proposal'];

/** What is known besides the look itself. */
export interface Circumstances {
  readonly previous: ServiceDiagnosisResult['previous'];
  readonly servingForMs: number | null;
  /** A deployment is on its way. */
  readonly isMoving: boolean;
  /** Kinds of errors in the newest lines of its log. */
  readonly errorKinds: number;
}

/** Trouble that another release may not have. A full disk stays full. */
const OF_RELEASE: ReadonlySet<TroubleKind> = new Set(['oom', 'exited', 'down', 'restarts', 'slow', 'errors']);

/** What to do next, with the evidence for it in a sentence. Pure; nothing is done. */
export function propose(found: Found, { verdict, kind, because }: Verdict, around: Circumstances): Proposal {
  const { previous, servingForMs, isMoving, errorKinds } = around;
  if (verdict === 'nothing-deployed') return { action: 'deploy', because };
  if (isMoving) return { action: 'wait', because: 'A deployment is on its way and may change all of it.' };
  const age = servingForMs === null ? '' : `; it was deployed ${sayDuration(servingForMs)} ago`;
  if (kind === null) {
    if (errorKinds === 0)
      return { action: 'none', because: `${because} Nothing is wrong as far as it can be measured${age}.` };
    return {
      action: 'look-at-logs',
      because: `${because} Its log has ${errorKinds === 1 ? 'an error' : `${errorKinds} kinds of errors`} all the same.`,
    };
  }
  if (kind === 'wrong-release')
    return { action: 'wait', because: `${because} The next look may find it settled; if not, deploy again.` };
  if (!OF_RELEASE.has(kind) || previous === null)
    return {
      action: 'look-at-logs',
      because: `${because}${previous === null ? ' Nothing served before that it could go back to.' : ''}`,
    };
  return { action: 'rollback', because: `${compare(found, kind, previous) ?? because.replace(/\.$/, '')}${age}.` };
}

/** "1.1 answers in 1.5 s, 1.0 took 20 ms": the two releases beside one another. Null when there is nothing to compare. */
function compare(
  found: Found,
  kind: TroubleKind,
  previous: NonNullable<ServiceDiagnosisResult['previous']>,
): string | null {
  const latencyMs = found.proxy?.latencyMs ?? null;
  const { usualLatencyMs, release } = previous;
  if (kind !== 'slow' || latencyMs === null || usualLatencyMs === null || !isSlow(latencyMs, usualLatencyMs))
    return null;
  return `${found.release ?? 'What serves'} answers in ${inSeconds(latencyMs)}, ${release ?? 'what served before'} took ${inSeconds(usualLatencyMs)}`;
}
