import { matchesAny } from './globs.ts';

/** A vitest project and the command of .ci/run that runs it. */
export interface Suite {
  readonly name: string;
  readonly include: readonly string[];
  readonly command: string;
}

/** Test files that no suite runs or that two run, and suites that the build leaves out. */
export function findForgottenTests(
  paths: readonly string[],
  suites: readonly Suite[],
  buildScript: string,
): readonly string[] {
  const lines = buildScript.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  const unrun = suites.filter(({ command }) => !lines.some((line) => line.includes(command)));
  const tests = paths.filter((path) => path.endsWith('.test.ts'));
  return [
    ...unrun.map(({ name, command }) => `the suite ${name} is not run: .ci/run has no '${command}'`),
    ...tests.flatMap((path) => {
      const running = suites.filter(({ include }) => matchesAny(include, path)).map(({ name }) => name);
      if (running.length === 1) return [];
      return [`${path}: ${running.length === 0 ? 'no suite runs it' : `runs in ${running.join(' and ')}`}`];
    }),
  ];
}
