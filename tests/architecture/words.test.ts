import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseSource, readSources } from './sources.ts';
import { findForbiddenComments, findForbiddenNames, findVerbless } from './words.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('the vocabulary check', () => {
  const product = readSources(ROOT).filter(({ path }) => !path.startsWith('tests/') && !/\.test\.tsx?$/.test(path));

  it('finds no forbidden word in exported names, parameters and file names of the product', () => {
    expect(product.flatMap(findForbiddenNames)).toEqual([]);
  });

  it('finds no forbidden word in comments of the product', () => {
    expect(product.flatMap(findForbiddenComments)).toEqual([]);
  });

  it('finds no exported function whose name does not begin with a verb', () => {
    expect(product.flatMap(findVerbless)).toEqual([]);
  });

  it.each([
    ['a limit without MAX', 'export const MOST_FILES = 3;'],
    ['a type that does not say of what', 'export interface Outcome {}'],
    ['a parameter', 'export function decide(wish: string) { return wish; }'],
    ['a parameter of an arrow function', 'export const decide = (told: string) => told;'],
  ])('reports a forbidden name: %s', (_, line) => {
    expect(findForbiddenNames(parseSource('services/jobs/src/x.ts', line))).toHaveLength(1);
  });

  it.each([
    ['another spelling', '/** The licence of a package. */'],
    ['a place that a new reader has not seen', '// As above.'],
  ])('reports a comment that has %s', (_, line) => {
    expect(findForbiddenComments(parseSource('services/jobs/src/x.ts', line))).toHaveLength(1);
  });

  it('reports a function that is named by a noun', () => {
    expect(findVerbless(parseSource('services/jobs/src/x.ts', 'export function stateOf() {}'))).toHaveLength(1);
  });
});
