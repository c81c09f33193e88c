import type { Log } from '@signalbox/platform/log';
import type { Circuit } from './circuit.ts';
import { failureOf, isWorthAnother } from './failure.ts';
import type { Model, ModelAnswer, ModelRequest } from '../port.ts';

/** A model and what is remembered of its failures, which all who ask it share. */
export interface Candidate {
  readonly model: Model;
  readonly circuit: Circuit;
}

/**
 * The first of these models that can answer, in order. One that failed is left out for a short time, unless all are. What is the
 * caller's fault, and an abort, is not tried elsewhere. Throws what the last one threw.
 */
export function createFallback(candidates: readonly [Candidate, ...Candidate[]], log: Pick<Log, 'warn'>): Model {
  const [{ model: first }] = candidates;
  if (candidates.length === 1) return first;

  const askOf = async (
    list: readonly Candidate[],
    request: ModelRequest,
    anyway: boolean,
  ): Promise<ModelAnswer | null> => {
    let failed: { readonly model: string; readonly thrown: unknown } | null = null;
    for (const { model, circuit } of list) {
      if (!circuit.mayTry() && !anyway) continue;
      if (failed) log.warn('another model answers', { failed: failed.model, asked: model.name, error: failed.thrown });
      try {
        const answer = await model.ask(request);
        circuit.succeeded();
        return answer;
      } catch (thrown) {
        const failure = failureOf(thrown);
        if (request.signal.aborted || !failure || !isWorthAnother(failure.code)) throw thrown;
        circuit.failed();
        failed = { model: model.name, thrown };
      }
    }
    if (failed) throw failed.thrown;
    return null;
  };

  return {
    name: first.name,
    ...(first.sees ? { sees: true as const } : {}),
    ask: async (request) => {
      const answer = await askOf(candidates, request, false);
      if (answer) return answer;
      // All of them failed a moment ago, but a person still waits for an answer.
      const anyway = await askOf(candidates, request, true);
      if (!anyway) throw new Error('a fallback without models was asked'); // the type says that there is one
      return anyway;
    },
  };
}
