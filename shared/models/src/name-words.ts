import type { NameWords } from '@signalbox/contracts/name-words';
import { nameWords } from '@signalbox/planner/name-words';

/** The words of texts, the newest first, that may name something: of such names alone a model is told. Pure. */
export function readNameWords(texts: readonly string[]): NameWords {
  return nameWords(texts);
}
