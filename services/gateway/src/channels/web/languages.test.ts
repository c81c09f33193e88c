import { expect, test } from 'vitest';
import { parseAcceptLanguage } from './languages.ts';

test.each([
  ['de-DE,de;q=0.9,en;q=0.8', 'de-DE'],
  ['zh-Hant-TW', 'zh-Hant-TW'],
  [' en ;q=1', 'en'],
  ['*', null],
  ['', null],
  ["de'; drop table users", null],
  [undefined, null],
])('a browser with the Accept-Language %j gets the page in %s', (asked, language) => {
  expect(parseAcceptLanguage({ headers: asked === undefined ? {} : { 'accept-language': asked } })).toBe(language);
});
