import type { Run } from './history.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { type Field, problemOf } from '../slots/schema.ts';

/** Words that point at what was spoken of before. */
const POINTING =
  /\b(?:the (?:old|previous|last|other|same) \w+|it|its|it's|that|this|these|those|them|their|there|here|same|again|one|too|as well|another)\b/i;
/** Whether a text points back: "it", "there", "the same". */
export function pointsBack(text: string): boolean {
  return POINTING.test(text);
}

/**
 * What an empty field stands for when the text points back: the same argument of the last tool, or what its result says.
 * Null when nothing fits the field.
 */
export function referredValue(field: Field, last: Run, lastTool: IndexedTool | undefined): unknown {
  const candidates = [...named(field, last.args, lastTool), ...named(field, last.result, lastTool)];
  return candidates.find((value) => value !== undefined && value !== null && problemOf(field, value) === null) ?? null;
}

/** By the field's own name, by the kind of thing it holds, and the name of a thing that was just made. */
function named(field: Field, source: unknown, lastTool: IndexedTool | undefined): readonly unknown[] {
  if (typeof source !== 'object' || source === null) return [];
  const values = new Map(Object.entries(source));
  const sameKind = lastTool?.fields.find(({ entity }) => entity !== null && entity === field.entity)?.name;
  const made = field.entity !== null && lastTool?.topics.has(field.entity) ? values.get('name') : undefined;
  const byKind = field.entity === null ? undefined : values.get(field.entity);
  return [values.get(field.name), sameKind === undefined ? undefined : values.get(sameKind), byKind, made];
}
