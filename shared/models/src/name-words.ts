import type { NameWords } from '@signalbox/contracts/name-words';
import { findNameWords } from '@signalbox/planner/name-words';

/** Collects words that may be names from texts, the newest text first: a model gets only names that match these words. Pure. */
export function readNameWords(texts: readonly string[]): NameWords {
  return findNameWords(texts);
}
