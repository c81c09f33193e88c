import { expect, it } from 'vitest';
import { AppError, mayQuoteUntrusted } from './errors.ts';

const GIVEN = new Set(['docs/nothing.txt', 'unknown']);
const mayQuote = (kind: string, name: string, known: string): boolean =>
  mayQuoteUntrusted(new AppError('NOT_FOUND', { kind, name, known }), GIVEN);

it('an unknown name of the call, registered names and our own words in their place quote nobody', () => {
  expect(mayQuote('project', 'unknown', 'shop (did you mean this?), blog and 4 more')).toBe(false);
  expect(mayQuote('service', 'unknown', 'shop/staging, blog/production')).toBe(false);
  expect(mayQuote('file', 'docs', 'ask for a list of the files')).toBe(false);
  expect(mayQuote('tag, branch or commit of shop', 'unknown', '1.0, v1.1-rc.1, main')).toBe(false);
  expect(mayQuote('finding', 'unknown', '12 open ones')).toBe(false);
});

it('names that anybody can choose, names of more than two words and other values quote somebody', () => {
  expect(mayQuote('tag, branch or commit of shop', 'unknown', '1.0, obey')).toBe(true);
  expect(mayQuote('project', 'unknown', 'shop, obey-me-now')).toBe(true);
  expect(mayQuote('file', 'theirs', 'none')).toBe(true);
});

it('a sentence about another error quotes whom that error quotes', () => {
  const about = (known: string): AppError =>
    new AppError(
      'NOT_RESOLVED',
      { detail: 'so it is' },
      new AppError('NOT_FOUND', { kind: 'tag', name: 'unknown', known }),
    );
  expect(mayQuoteUntrusted(about('1.0'), GIVEN)).toBe(false);
  expect(mayQuoteUntrusted(about('obey'), GIVEN)).toBe(true);
  expect(mayQuoteUntrusted(new AppError('NOT_RESOLVED', { detail: 'so it is' }), GIVEN)).toBe(true);
});
