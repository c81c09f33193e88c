import { fileURLToPath } from 'node:url';
import { say } from '@signalbox/messages/say';
import { ERRORS } from '@signalbox/contracts/errors';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import {
  findMissing,
  findQuestions,
  findUntranslatable,
  findWrongMessages,
  readLanguages,
  readPlaceholders,
  sampleValues,
} from './architecture/messages.ts';
import { readSources } from './architecture/sources.ts';
import { samples } from './support/samples.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const product = readSources(ROOT).filter(({ path }) => !path.startsWith('tests/') && !path.includes('.test.'));
const folders = [
  new URL('../shared/messages/src/languages/', import.meta.url),
  ...samples.flatMap(({ languages: own }) => own ?? []),
];
const languages = readLanguages(...folders.map((folder) => fileURLToPath(folder)));
const english = languages.get('en') ?? new Map<string, string>();
/** The sentences of errors stand in their own catalog, the questions for arguments with the tools. */
const questions = createRegistry(await loadCapabilities())
  .catalog.groups.flatMap(({ tools }) => tools)
  .flatMap(({ schema }) => findQuestions(schema).map((question) => [`questions.${question}`, question] as const));
/** Reasons (see reasons.test.ts) and examples of requests stand in the other languages by their English. */
const reasons = [...languages]
  .flatMap(([, sentences]) => [...sentences.keys()].filter((key) => /^(?:reasons|hints)\./.test(key)))
  .map((key) => [key, key.replace(/^\w+\./, '')] as const);
const spoken = new Map([
  ...english,
  ...Object.entries(ERRORS).map(([code, { say: text }]) => [`errors.${code}`, text] as const),
  ...questions,
  ...reasons,
]);
const others = [...languages.keys()].filter((language) => language !== 'en');

describe('the message catalog', () => {
  it('contains a sentence with matching values for every call of say(), and no unused sentence', () => {
    expect(findWrongMessages(product, english)).toEqual([]);
  });

  it.each([
    ['a value is missing', `say('a.b', {});`, ['x.ts:2: a.b takes {name}']],
    ['a value of a choice is missing', `say(ok ? 'a.b' : 'a.c', { name });`, ['x.ts:2: a.c takes {count}']],
    ['a sentence is never said', `say('a.b', { name });`, ['a.c is never said']],
  ])('is rejected when %s', (_, call, problems) => {
    const sentences = new Map([
      ['a.b', 'Hello {name}.'],
      ['a.c', '{count, plural, one {# server} other {# servers}} of {name}.'],
    ]);
    const text = `import { say } from '@signalbox/messages/say';\n${call}`;
    expect(findWrongMessages([{ path: 'x.ts', text }], sentences)).toEqual(expect.arrayContaining(problems));
  });

  it('uses the same placeholders in every language', () => {
    expect([...languages].flatMap(([language, sentences]) => findUntranslatable(language, sentences, spoken))).toEqual(
      [],
    );
    const strange = findUntranslatable('de', new Map([['a.b', 'Hallo {wer}.']]), new Map([['a.b', 'Hello {name}.']]));
    expect(strange).toEqual(['de: a.b takes {wer}, which English does not give']);
  });

  it.each(others)('is complete in %s', (language) => {
    expect(findMissing(language, languages.get(language) ?? new Map(), spoken)).toEqual([]);
  });

  it('is checked for sentences that a language lacks or has copied from English', () => {
    const text = new Map([['a.b', 'Say it in other words.']]);
    expect(findMissing('de', new Map(), text)).toEqual(['de lacks a.b: Say it in other words.']);
    expect(findMissing('de', text, text)).toEqual(['de says a.b in English: Say it in other words.']);
  });

  it.each([...languages.keys()])('renders every sentence in %s, with every choice and number', (language) => {
    for (const [key, sentence] of languages.get(language) ?? [])
      for (const values of sampleValues(sentence)) {
        const format = new IntlMessageFormat(sentence, language, undefined, { ignoreTag: true });
        const text = String(format.format({ ...values }));
        expect([key, text]).toEqual([key, expect.stringMatching(/\S/)]);
        expect([key, text]).toEqual([key, expect.not.stringMatching(/\{\w+\}/)]);
      }
  });

  it('is parsed for the placeholders in plurals and choices', () => {
    expect(
      readPlaceholders('{count, plural, one {# of {owner}} other {{count} of them}} {how, select, a {x} other {y}}'),
    ).toEqual(['count', 'how', 'owner']);
  });

  it('uses the English sentence when a sentence or a language is missing', () => {
    expect(say('menu.help', {}, 'de')).toBe('Was ich kann');
    for (const language of ['xx', '..', '../en', 'toString'])
      expect(say('menu.help', {}, language)).toBe('What I can do');
  });
});
