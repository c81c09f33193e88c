import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';

const LONGEST = 200;
/** Matches regular expressions in source text: literals, and parts that are written with String.raw. */
const WRITTEN = [
  /(?:^\s*|[=(,:?|&[]\s*|return )\/(?![/*])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[dgimsuvy]*/gm,
  /String\.raw`([^`]*)`/g,
];

it('no regular expression of the offline planner is longer than 200 characters', () => {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => !/\.(?:test|fixture)\.ts$/.test(file));
  const long = files.flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const written = WRITTEN.flatMap((pattern) => [...text.matchAll(pattern)].map(([, expression = '']) => expression));
    return written.filter(({ length }) => length > LONGEST).map((expression) => `${file}: ${expression.slice(0, 60)}…`);
  });
  expect([files.length > 30, long]).toEqual([true, []]);
});
