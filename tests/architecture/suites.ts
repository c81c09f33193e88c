import type { CiSuite } from '../ci/suites.ts';
import { matchesAny } from './globs.ts';
import type { SourceFile } from './sources.ts';

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

/** What makes a service in a process of a test. */
const MAKERS = new Set([
  'services/gateway/src/gateway.ts',
  'services/worker/src/worker.ts',
  'services/jobs/src/job-service.ts',
]);
/** Programs whose whole environment comes from the test or the measurement that starts them. */
const STARTED_BY_OTHERS = new Set(['tests/support/worker-program.ts', 'tests/bench/peers/scripted-worker.ts']);

/** Tests that start a service with variables of their own making: what people run is not what they test. */
export function findOwnWirings(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text, imports }) => {
    if (!path.startsWith('tests/') || STARTED_BY_OTHERS.has(path)) return [];
    const makes = imports.some(({ target, typeOnly }) => target !== null && MAKERS.has(target) && !typeOnly);
    if (!makes || /\.env\(/.test(text)) return [];
    return [`${path}: it starts a service with variables of its own; take them from tests/support/wiring.ts`];
  });
}
