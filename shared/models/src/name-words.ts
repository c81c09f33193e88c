import type { NameWords } from '@signalbox/contracts/name-words';
import { nameWords } from '@signalbox/planner/name-words';

/** Words that may be names, from texts sorted by newest first: only names that match them are given to a model. Pure. */
export function readNameWords(texts: readonly string[]): NameWords {
  return nameWords(texts);
}
