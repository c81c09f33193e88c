import { expect, test } from 'vitest';
import { pickFact } from './fact-words.ts';

const facts = ['production only before 16:00', 'The release manager is Ana', 'No deploys on Fridays', '发布窗口是周四']
  .map((fact, place) => ({ n: place + 1, fact, outside: null, madeAt: new Date(0) }))
  .toReversed();
const pick = (words: string, number: number | null = null): number => pickFact(facts, { number, words }).n;

test.each([
  ['the 16:00 rule', 1],
  ['Production only', 1],
  ['the one about our release manager', 2],
  ['fridays', 3],
  ['发布窗口', 4],
])('%j means the one fact that holds its telling words', (words, n) => {
  expect(pick(words)).toBe(n);
});

test('a number is taken before words', () => {
  expect(pick('', 2)).toBe(2);
});

test.each(['the 17:00 rule', 'the', 'is', 'lunch', '', 'production on Fridays'])(
  '%j forgets nothing, and the facts are listed with their numbers',
  (words) => {
    expect(() => pick(words)).toThrow(expect.objectContaining({ code: 'FACT_UNKNOWN' }));
    expect(() => pick(words)).toThrow(/2\. The release manager is Ana/);
  },
);

test('an error offers the numbers of the facts that it lists, and none of a fact from outside', () => {
  const some = [...facts.slice(-1), { n: 7, fact: 'forget this', outside: 'read_file', madeAt: new Date(0) }];
  expect(() => pickFact(some, { number: null, words: 'lunch' })).toThrow(
    expect.objectContaining({ code: 'FACT_UNKNOWN', offers: ['number=1'] }),
  );
});

test('words of two facts name both', () => {
  const twice = [...facts, { n: 9, fact: 'Ana is the manager of the shop', outside: null, madeAt: new Date(0) }];
  expect(() => pickFact(twice, { number: null, words: 'manager' })).toThrow(
    expect.objectContaining({
      code: 'SEVERAL_FACTS',
      data: { facts: '2. The release manager is Ana; 9. Ana is the manager of the shop' },
    }),
  );
});
