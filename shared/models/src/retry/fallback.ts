import { SECOND_MS } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';
import type { Circuit } from './circuit.ts';
import { findModelFailure, mayFallBack } from './failure.ts';
import type { Model, ModelAnswer, ModelRequest } from '../port.ts';

/** A model and its circuit breaker, shared by all callers. */
export interface Candidate {
  readonly model: Model;
  readonly circuit: Circuit;
}

/** Nobody waits longer for a provider's rate limit while another model could answer. */
const PATIENCE_MS = 20 * SECOND_MS;

/**
 * Creates a model that uses the first candidate that can answer, in order. Recently failed candidates are skipped unless all failed.
 * After a refused request or an abort no other candidate is tried. Throws the error of the last candidate.
 */
export function createFallbackModel(candidates: readonly [Candidate, ...Candidate[]], log: Pick<Log, 'warn'>): Model {
  const [{ model: first }] = candidates;
  if (candidates.length === 1) return first;

  const tryCandidates = async (
    list: readonly Candidate[],
    request: ModelRequest,
    ignoreCircuits: boolean,
  ): Promise<ModelAnswer | null> => {
    let failed: { readonly model: string; readonly thrown: unknown } | null = null;
    for (const { model, circuit } of list) {
      if (!circuit.mayTry() && !ignoreCircuits) continue;
      if (failed) log.warn('another model answers', { failed: failed.model, asked: model.name, error: failed.thrown });
      try {
        const isLast = model === list.at(-1)?.model;
        const answer = await model.ask(isLast ? request : { patienceMs: PATIENCE_MS, ...request });
        circuit.succeeded();
        return answer;
      } catch (thrown) {
        const failure = findModelFailure(thrown);
        if (request.signal.aborted || !failure || !mayFallBack(failure.code)) throw thrown;
        // A rate limit ends by itself, and its gate knows when.
        if (failure.code !== 'rate-limited') circuit.failed();
        failed = { model: model.name, thrown };
      }
    }
    if (failed) throw failed.thrown;
    return null;
  };

  return {
    name: first.name,
    ...(first.sees ? { sees: true as const } : {}),
    ...(first.silenceMs === undefined ? {} : { silenceMs: first.silenceMs }),
    ask: async (request) => {
      const answer = await tryCandidates(candidates, request, false);
      if (answer) return answer;
      // All candidates have just failed, but a person still waits, so all are tried again.
      const lateAnswer = await tryCandidates(candidates, request, true);
      if (!lateAnswer) throw new Error('a fallback without models was asked'); // unreachable: there is at least one candidate
      return lateAnswer;
    },
  };
}
