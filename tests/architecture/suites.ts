import type { CiSuite } from '../ci/suites.ts';
import { matchesAny } from './globs.ts';

/** A vitest project and the files that it runs. */
export interface Suite {
  readonly name: string;
  readonly include: readonly string[];
}

/** Test files that no suite runs or that two run, and suites that the build leaves out. */
export function findForgottenTests(
  paths: readonly string[],
  suites: readonly Suite[],
  builds: readonly CiSuite[],
): readonly string[] {
  const built = new Set(builds.flatMap(({ projects }) => projects));
  const tests = paths.filter((path) => path.endsWith('.test.ts'));
  return [
    ...suites.filter(({ name }) => !built.has(name)).map(({ name }) => `${name}: tests/ci/suites.ts does not run it`),
    ...tests.flatMap((path) => {
      const running = suites.filter(({ include }) => matchesAny(include, path)).map(({ name }) => name);
      if (running.length === 1) return [];
      return [`${path}: ${running.length === 0 ? 'no suite runs it' : `runs in ${running.join(' and ')}`}`];
    }),
  ];
}
