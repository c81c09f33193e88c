import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { Visitor, parseSync, type Expression } from 'oxc-parser';
import type { SourceFile } from './sources.ts';

/** The sentences of one language by key: `menu.help` is the entry `help` of `menu.json`. */
export type Sentences = ReadonlyMap<string, string>;

/** All languages of these catalogs together, by the names of their folders. */
export function readLanguages(...folders: readonly string[]): ReadonlyMap<string, Sentences> {
  const languages = new Map<string, Map<string, string>>();
  for (const folder of folders)
    for (const language of readdirSync(folder)) {
      const sentences = languages.get(language) ?? new Map<string, string>();
      languages.set(language, sentences);
      for (const file of readdirSync(join(folder, language))) {
        const entries: Record<string, string> = JSON.parse(readFileSync(join(folder, language, file), 'utf8'));
        const keyOf = (entry: string): string => `${file.replace(/\.json$/, '')}.${entry}`;
        Object.entries(entries).forEach(([entry, text]) => sentences.set(keyOf(entry), text));
      }
    }
  return languages;
}

/** The names of the values that a sentence takes, those inside its plurals and choices included. Throws when it is no ICU message. */
export function readPlaceholders(sentence: string): readonly string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    // The parser's types: 0 is plain text and 7 is `#`; every other element names a value.
    if ('type' in value && 'value' in value && value.type !== 0 && value.type !== 7) names.add(String(value.value));
    Object.values(value).forEach(visit);
  };
  visit(new IntlMessageFormat(sentence, 'en', undefined, { ignoreTag: true, captureLocation: false }).getAst());
  return [...names].toSorted();
}

/** One `say(…)`: the keys that it may name, and the names of its values; null where they are not written out. */
interface SaidKey {
  readonly at: string;
  readonly keys: readonly RegExp[];
  readonly values: readonly string[] | null;
}

/** `findSentence` says a sentence whose key is made of a name, such as that of an agent. */
const SAYING: ReadonlySet<string> = new Set(['say', 'findSentence']);

/** Every call of the catalog's `say`, and every key that stands by itself, such as one in a table. */
function readCalls({ path, text }: Pick<SourceFile, 'path' | 'text'>): readonly SaidKey[] {
  // A chat command and a table of rules name their sentences without saying them themselves, and the catalog's own package says some.
  if (!/@signalbox\/messages\/|'\.\.?\/(?:say|rule)\.ts'|\bChatCommand\b/.test(text)) return [];
  const calls: SaidKey[] = [];
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  new Visitor({
    CallExpression({ callee, arguments: [key, values], start }) {
      if (callee.type !== 'Identifier' || !SAYING.has(callee.name) || !key || key.type === 'SpreadElement') return;
      calls.push({ at: `${path}:${lineOf(start)}`, keys: readKeys(key), values: readNames(values) });
    },
    Literal({ value, start }) {
      if (typeof value !== 'string' || !/^[a-z][\w-]*\.[a-z][\w-]*$/i.test(value)) return;
      calls.push({ at: `${path}:${lineOf(start)}`, keys: [exactly(value)], values: null });
    },
  }).visit(parseSync(path, text).program);
  return calls;
}

const exactly = (key: string): RegExp => new RegExp(`^${key.replaceAll('.', '\\.')}$`);

function readKeys(key: Expression): readonly RegExp[] {
  if (key.type === 'Literal' && typeof key.value === 'string') return [exactly(key.value)];
  if (key.type === 'ConditionalExpression') return [...readKeys(key.consequent), ...readKeys(key.alternate)];
  if (key.type !== 'TemplateLiteral') return [];
  return [new RegExp(`^${key.quasis.map(({ value }) => value.raw.replaceAll('.', '\\.')).join('[\\w-]+')}$`)];
}

function readNames(values: { readonly type: string } | undefined): readonly string[] | null {
  if (!values) return [];
  if (!('properties' in values) || !Array.isArray(values.properties)) return null;
  const names = values.properties.map((property) =>
    property.key?.type === 'Identifier' ? String(property.key.name) : null,
  );
  return names.includes(null) ? null : names.map(String).toSorted();
}

/** Calls whose values are not those of their sentence, keys that do not exist, and sentences that are never said. */
export function findWrongMessages(
  files: readonly Pick<SourceFile, 'path' | 'text'>[],
  sentences: Sentences,
): readonly string[] {
  const calls = files.flatMap(readCalls);
  const said = new Set<string>();
  const wrong = calls.flatMap(({ at, keys, values }) => {
    const meant = [...sentences.keys()].filter((key) => keys.some((pattern) => pattern.test(key)));
    for (const key of meant) said.add(key);
    if (values === null) return [];
    return meant.flatMap((key) => {
      const takes = readPlaceholders(sentences.get(key) ?? '');
      const lacks = takes.filter((name) => !values.includes(name));
      return lacks.length === 0 ? [] : [`${at}: ${key} takes {${lacks.join('}, {')}}`];
    });
  });
  const silent = [...sentences.keys()].filter((key) => !said.has(key)).map((key) => `${key} is never said`);
  return [...wrong, ...silent];
}

/** What English says and another language does not, or says in the same words of English: a sentence of three words is none of both. */
export function findMissing(language: string, sentences: Sentences, english: Sentences): readonly string[] {
  return [...english].flatMap(([key, original]) => {
    const text = sentences.get(key);
    if (text === undefined) return [`${language} lacks ${key}: ${original}`];
    const words = original.replace(/\{[^}]*\}|`[^`]*`/g, '').match(/[a-z]{2,}/gi) ?? [];
    return text === original && words.length > 3 ? [`${language} says ${key} in English: ${original}`] : [];
  });
}

/** The questions that the arguments of a tool are asked for with. */
export function findQuestions(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'ask' in schema && typeof schema.ask === 'string' ? [schema.ask] : [];
  return [...new Set([...own, ...Object.values(schema).flatMap(findQuestions)])];
}

/** Every way to fill a sentence: each choice once, and numbers of each plural. */
export function sampleValues(sentence: string): readonly Readonly<Record<string, string | number>>[] {
  const choices = new Map<string, Set<string | number>>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && 'value' in value && typeof value.value === 'string' && value.type !== 0) {
      const known = choices.get(value.value) ?? new Set();
      choices.set(value.value, known);
      if (value.type === 5 && 'options' in value && value.options)
        for (const option of Object.keys(value.options)) known.add(option);
      if (value.type === 2 || value.type === 6) for (const count of [0, 1, 2, 5, 11, 1_000]) known.add(count);
    }
    Object.values(value).forEach(visit);
  };
  visit(new IntlMessageFormat(sentence, 'en', undefined, { ignoreTag: true, captureLocation: false }).getAst());
  const most = Math.max(1, ...[...choices.values()].map(({ size }) => size));
  return Array.from({ length: most }, (_, n) =>
    Object.fromEntries(
      [...choices].map(([name, values]) => [
        name,
        values.size === 0 ? `‹${name}›` : ([...values][n % values.size] ?? ''),
      ]),
    ),
  );
}

/** Sentences of another language that English does not have, or that take other values than English gives. */
export function findUntranslatable(language: string, sentences: Sentences, english: Sentences): readonly string[] {
  return [...sentences].flatMap(([key, text]) => {
    const original = english.get(key);
    if (original === undefined) return [`${language}: ${key} is not in English`];
    const strange = readPlaceholders(text).filter((name) => !readPlaceholders(original).includes(name));
    return strange.length === 0
      ? []
      : [`${language}: ${key} takes {${strange.join('}, {')}}, which English does not give`];
  });
}
