import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseSource, readSources } from './sources.ts';
import { findForbiddenComments, findForbiddenNames, findVerbless } from './words.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('the words of the code', () => {
  const product = readSources(ROOT).filter(({ path }) => !path.startsWith('tests/') && !/\.test\.tsx?$/.test(path));

  it('are the field’s in exported names, parameters and names of files', () => {
    expect(product.flatMap(findForbiddenNames)).toEqual([]);
  });

  it('are the field’s in comments', () => {
    expect(product.flatMap(findForbiddenComments)).toEqual([]);
  });

  it('begin with a verb in exported functions', () => {
    expect(product.flatMap(findVerbless)).toEqual([]);
  });

  it.each([
    ['a limit without MAX', 'export const MOST_FILES = 3;'],
    ['a type that does not say of what', 'export interface Outcome {}'],
    ['a parameter', 'export function decide(wish: string) { return wish; }'],
    ['a parameter of an arrow function', 'export const decide = (told: string) => told;'],
  ])('are found when %s is no word of the field', (_, line) => {
    expect(findForbiddenNames(parseSource('services/jobs/src/x.ts', line))).toHaveLength(1);
  });

  it.each([
    ['another spelling', '/** The licence of a package. */'],
    ['a place that a new reader has not seen', '// As above.'],
  ])('are found when a comment has %s', (_, line) => {
    expect(findForbiddenComments(parseSource('services/jobs/src/x.ts', line))).toHaveLength(1);
  });

  it('are found when a function is named by a noun', () => {
    expect(findVerbless(parseSource('services/jobs/src/x.ts', 'export function stateOf() {}'))).toHaveLength(1);
  });
});
