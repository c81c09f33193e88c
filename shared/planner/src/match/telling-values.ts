import { takesOneWord, takesVersion } from '../slots/field-kinds.ts';
import { takesAddress } from '../text/quantities.ts';
import type { Field } from '../slots/schema.ts';

/** Values that few tools take say which tool is meant: a version, an address, the name of a thread. */
export const TELLING: ReadonlySet<string> = new Set(['¤version', '¤url', '¤host']);

/** Whether what a placeholder stands for (¤version, ¤project) may fill a field. */
export function fits(field: Field, word: string): boolean {
  if (word === '¤version') return takesVersion(field);
  if (word === '¤url') return takesAddress(field);
  if (word === '¤host') return takesOneWord(field);
  return word.startsWith('¤') && field.entity !== null && word.slice(1).split('+').includes(field.entity);
}
