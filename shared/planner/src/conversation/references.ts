import type { Run } from './history.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { type Field, problemOf } from '../slots/schema.ts';

/** Words that point at what was spoken of before. */
const POINTING =
  /\b(?:the (?:old|previous|last|other|same) \w+|it|its|it's|that|this|these|those|them|their|there|here|same|again|one|too|as well|another)\b/i;
const ORDINAL = /\bthe (first|second|third|fourth|fifth|last)(?: one| project| server| port)?\b/i;
const ORDINALS: readonly string[] = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Whether a text points back: "it", "there", "the same". */
export function pointsBack(text: string): boolean {
  return POINTING.test(text) || ORDINAL.test(text);
}

/**
 * What an empty field stands for when the text points back: the same argument of the last tool, or what its result says.
 * Null when nothing fits the field.
 */
export function referredValue(field: Field, text: string, last: Run, lastTool: IndexedTool | undefined): unknown {
  const candidates = [
    nthOf(text, last.result, field),
    ...named(field, last.args, lastTool),
    ...named(field, last.result, lastTool),
  ];
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

/** "The second one" of a result that is a list of things with names. */
function nthOf(text: string, result: unknown, field: Field): unknown {
  const word = ORDINAL.exec(text)?.[1]?.toLowerCase();
  if (word === undefined || field.entity === null || typeof result !== 'object' || result === null) return undefined;
  const list: unknown = Array.isArray(result) ? result : Object.values(result).find((value) => Array.isArray(value));
  if (!Array.isArray(list)) return undefined;
  const item: unknown = word === 'last' ? list.at(-1) : list[ORDINALS.indexOf(word)];
  if (typeof item !== 'object' || item === null) return typeof item === 'string' ? item : undefined;
  const values = new Map<string, unknown>(Object.entries(item));
  return values.get(field.entity) ?? values.get(field.name) ?? values.get('name');
}
