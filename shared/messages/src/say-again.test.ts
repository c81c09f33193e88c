import { expect, test } from 'vitest';
import { runInLanguage } from './language.ts';
import { say, sayAgain } from './say.ts';

test('a sentence of the catalog is said again in the language of its reader, with or without its period', () => {
  const german = say('card.under-way', {}, 'de');
  expect(runInLanguage('es', () => sayAgain(german))).toBe(say('card.under-way', {}, 'es'));
  const bare = german.replace(/\.$/, '');
  expect(runInLanguage('en', () => sayAgain(bare))).toBe(say('card.under-way').replace(/\.$/, ''));
});

test('a reason of a rule is said again in English and in other languages', () => {
  const english = 'It changes what serves people in production';
  expect(runInLanguage('en', () => sayAgain(english))).toBeNull();
  const reason = 'Dangerous actions in production need the approval of two operators.';
  const german = runInLanguage('de', () => sayAgain(reason));
  expect(german).toMatch(/^Gefährliche Aktionen/);
  expect(runInLanguage('en', () => sayAgain(german ?? ''))).toBe(reason);
});

test("a person's own words are no sentence of the catalog, and only sentences of the named kind are translated", () => {
  expect(runInLanguage('de', () => sayAgain('not before Monday, Ben'))).toBeNull();
  expect(runInLanguage('de', () => sayAgain(say('card.under-way'), 'governance.reason-'))).toBeNull();
});
