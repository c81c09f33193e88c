import { VALUE_ALIASES } from '../text/vocabulary.ts';
import type { CatalogTool } from '@signalbox/contracts/tool-catalog';
import { CONCEPTS, type Sense } from '../text/concepts.ts';
import { withValuePlaceholders } from '../text/quantities.ts';
import { type Field, readFields } from '../slots/schema.ts';
import { findFormed } from '../slots/slot-values.ts';
import { stem } from '../text/stems.ts';
import { isFiller, meaningOf, sensesOf, tokenize, wordsOf } from '../text/tokens.ts';

/** Kinds of things whose names are a closed set, such as environment → staging, production, local. */
export type ClosedKinds = Readonly<Record<string, readonly string[]>>;

/** One tool as it is indexed: read once, looked at from several sides. */
export interface Source {
  readonly name: string;
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
  readonly role: string | null;
  readonly isRead: boolean | undefined;
  readonly orderOf: CatalogTool['orderOf'] | undefined;
  readonly hints: readonly string[];
  readonly fields: readonly Field[];
  readonly hintTexts: readonly (readonly string[])[];
  readonly about: readonly string[];
}

export function readSource(
  { tool, group, summary, installed }: Listed,
  closed: ClosedKinds,
  forms: readonly Field[],
): Source {
  const fields = readFields(tool.schema);
  return {
    group,
    summary,
    installed,
    name: tool.name,
    isRead: tool.isRead,
    orderOf: tool.orderOf,
    role: tool.role ?? null,
    hints: tool.hints,
    fields,
    hintTexts: tool.hints.map((hint) =>
      wordsOf(withValuePlaceholders(withClosedKinds(withFormed(hint, forms), closed))),
    ),
    about: wordsOf(`${tool.name} ${tool.describe} ${fieldWords(fields)}`),
  };
}

export function closedKinds(fields: readonly Field[]): ClosedKinds {
  const kinds: Record<string, readonly string[]> = {};
  for (const { entity, choices } of fields)
    if (entity !== null && choices.length > 0) kinds[entity] = [...new Set([...(kinds[entity] ?? []), ...choices])];
  return kinds;
}

function withClosedKinds(hint: string, closed: ClosedKinds): string {
  return Object.entries(closed).reduce(
    (text, [kind, values]) =>
      text.replace(new RegExp(String.raw`\b(?:${values.map(escaped).join('|')})\b`, 'gi'), `¤${kind}`),
    hint,
  );
}

/** The text with values of a telling form replaced by a placeholder of their argument: user_1001_3 → ¤thread_id. */
export function withFormed(text: string, forms: readonly Field[]): string {
  return forms.reduce((left, field) => {
    const found = findFormed(left, field);
    return found ? `${left.slice(0, found.start)} ¤${field.name} ${left.slice(found.end)}` : left;
  }, text);
}

/** Environments are names of their own; what else an argument lists is said in many words. */
export function valuesOf(fields: readonly Field[]): ReadonlySet<string> {
  const choices = fields
    .filter(({ entity }) => entity === null)
    .flatMap((field) => field.choices.map((choice) => choice.toLowerCase()));
  const called = [...VALUE_ALIASES]
    .filter(([, values]) => values.some((value) => choices.includes(value)))
    .map(([word]) => word);
  return new Set([...choices, ...called].map(stem));
}

function escaped(value: string): string {
  return value.replace(/[^\p{L}\p{N} ]/gu, String.raw`\$&`);
}

/** The hints and the name as meanings. Where a word may mean several things, what the tool speaks of elsewhere decides. */
export function readHints(
  source: Source,
  examples: ReadonlySet<string>,
): readonly (readonly { readonly senses: readonly Sense[] }[])[] {
  const [verb = '', ...rest] = source.name.split('_');
  const nameWords = wordsOf(verb === 'get' ? rest.join(' ') : source.name.replaceAll('_', ' '));
  const all = source.installed ? [...source.hintTexts, nameWords] : source.hintTexts;
  const sure = new Set(
    [...all.flat(), ...source.about].flatMap((word) => {
      const senses = sensesOf(word);
      return senses.filter(({ share }) => share === 1 && senses[1]?.share !== 1).map(({ meaning }) => meaning);
    }),
  );
  return all
    .map((hint) =>
      hint.map((word) => {
        if (examples.has(meaningOf(word))) return { senses: [{ meaning: '¤any', share: 1 }] };
        const senses = sensesOf(word);
        const meant = senses.filter(({ meaning }) => sure.has(meaning));
        return { senses: meant.length > 0 ? meant.map(({ meaning }) => ({ meaning, share: 1 })) : senses };
      }),
    )
    .filter((hint) => hint.length > 0);
}

/**
 * Words of hints that stand for any name, such as shop in "list ports of shop": they look like one (web-1), or the hints of two
 * tools that take names use them and nothing else speaks of them.
 */
export function findExamples(tools: readonly Source[]): ReadonlySet<string> {
  const summaries = new Set(tools.map(({ summary }) => summary));
  const grammar = new Set(
    [...tools.flatMap(({ about }) => about), ...[...summaries].flatMap((text) => wordsOf(text))].map(meaningOf),
  );
  const users = new Map<string, number>();
  const examples = new Set<string>();
  for (const { fields, hintTexts } of tools) {
    const takesNames = fields.some((field) => field.entity !== null && field.choices.length === 0);
    const inside = new Set(hintTexts.flatMap((hint) => hint.slice(1))); // what a hint begins with is what to do
    for (const word of new Set(hintTexts.flat())) {
      const meaning = meaningOf(word);
      if (/^[a-z]+-?\d/.test(word)) examples.add(meaning);
      if (!takesNames || grammar.has(meaning) || /^[A-Z¤]/.test(meaning) || /^[§¤]/.test(word) || CONCEPTS.has(word))
        continue;
      if (inside.has(word)) users.set(meaning, (users.get(meaning) ?? 0) + 1);
    }
  }
  for (const [word, count] of users) if (count > 1) examples.add(word);
  return examples;
}

function fieldWords(fields: readonly Field[]): string {
  return fields
    .map((field) => `${field.name.replace(/([a-z])([A-Z])/g, '$1 $2')} ${field.choices.join(' ')}`)
    .join(' ');
}

export function meaningsOfWord(word: string): readonly string[] {
  return sensesOf(word).map(({ meaning }) => meaning);
}

export function weigh(
  hints: readonly (readonly (readonly { readonly senses: readonly Sense[] }[])[])[],
  words: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const spokenOf = new Map<string, number>();
  for (const own of hints) {
    const meanings = new Set(own.flat().flatMap(({ senses }) => senses.map(({ meaning }) => meaning)));
    for (const meaning of meanings) spokenOf.set(meaning, (spokenOf.get(meaning) ?? 0) + 1);
  }
  return new Map([...words].map((word) => [word, Math.log(1 + hints.length / (spokenOf.get(word) ?? 1)) + 0.5]));
}

export function writtenWords(tools: readonly Source[], examples: ReadonlySet<string>): ReadonlySet<string> {
  const text = tools.map(
    (tool) => `${tool.name.replaceAll('_', ' ')} ${tool.hints.join(' ')} ${fieldWords(tool.fields)}`,
  );
  const words = tokenize(text.join(' ')).map((token) => token.lower);
  return new Set(words.filter((word) => !isFiller(word) && !/\d/.test(word) && !examples.has(meaningOf(word))));
}

export function spell(written: ReadonlySet<string>): ReadonlyMap<number, readonly string[]> {
  const byLength = new Map<number, string[]>();
  for (const word of new Set([...written, ...CONCEPTS.keys()])) {
    if (word.length > 3) byLength.set(word.length, [...(byLength.get(word.length) ?? []), word]);
  }
  return byLength;
}

/** How telling what a word stands for is, on average. */
export function weightOf(senses: readonly Sense[], weight: ReadonlyMap<string, number>): number {
  const shares = senses.reduce((sum, { share }) => sum + share, 0);
  return senses.reduce((sum, { meaning, share }) => sum + (weight.get(meaning) ?? 1) * share, 0) / shares;
}

export type Listed = { readonly tool: CatalogTool } & Pick<Source, 'group' | 'summary' | 'installed'>;
