import type { Field } from './schema.ts';
import { stem } from '../text/stems.ts';
import { sensesOf } from '../text/tokens.ts';
import { VALUE_ALIASES } from '../text/vocabulary.ts';

/** Whether a word names the field: mem and memory, env and environment. */
export function isLabelOf(word: string, field: Pick<Field, 'name'>): boolean {
  const label = field.name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/)
    .filter((part) => !UNIT_PARTS.has(part));
  if (label.some((part) => stem(part) === stem(word))) return true;
  const [meant] = sensesOf(word);
  return (
    meant?.share === 1 &&
    label.some((part) => sensesOf(part)[0]?.meaning === meant.meaning && sensesOf(part)[0]?.share === 1)
  );
}

const UNIT_PARTS: ReadonlySet<string> = new Set('mb gb kb ms bytes seconds minutes hours to since'.split(' '));

/** The values that a word stands for; in any form: close, closed. */
function aliasesOf(word: string): readonly string[] {
  return VALUE_ALIASES.get(word) ?? STEMMED_ALIASES.get(stem(word)) ?? [];
}

const STEMMED_ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  [...VALUE_ALIASES].filter(([word]) => word !== 'live').map(([word, values]) => [stem(word), values]),
);

/** archive, archived and Archived are one choice; so are prod and production. */
export function isSameChoice(word: string, choice: string): boolean {
  const value = choice.toLowerCase();
  return word === value || aliasesOf(word).includes(value) || stem(word) === stem(value);
}
