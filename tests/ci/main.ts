// `npm run ci`: everything that a change must pass. Prints what failed once more at the end, where a long output is kept.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readReport, type SuiteReport } from './report.ts';
import { CI_SUITES, type CiSuite } from './suites.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MINUTE_MS = 60_000;
/** A suite that hangs is ended while there is still time to report it: a run may take 90 minutes. */
const DEADLINE_MS = 80 * MINUTE_MS;
/** Of a suite in which more files failed, nothing is repeated: that is no accident of a busy machine. */
const REPEATED_FILES = 5;
/** Files that may fail and pass at the second try before the run fails all the same; to be two when the suites are quicker. */
const FLAKY_FILES = 4;
const SHOWN_LINES = 60;

const begun = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'signalbox-ci-'));
const results = { passed: 0, failed: 0, problems: [] as string[], flaky: [] as string[] };

let running: number | undefined;
// Suites run in groups of their own, so that all of one can be ended: Ctrl-C has to be passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    if (running !== undefined) process.kill(-running, signal);
    process.exit(1);
  });

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? CI_SUITES : CI_SUITES.filter(({ title }) => wanted.includes(title));
if (wanted.length > chosen.length) {
  console.error(`Known suites: ${CI_SUITES.map(({ title }) => `'${title}'`).join(', ')}.`);
  process.exit(1);
}
if (wanted.length === 0) {
  // The one computes, the other waits for packages.
  const [checks, tools] = await Promise.all([
    run('types, lint, format, unused code', ['npm', 'run', 'check', '--', '--without-tests']),
    run('container tools', ['tests/containers/install-tools']),
  ]);
  if (checks !== 0) results.problems.push('types, lint, format or unused code: see above');
  if (tools !== 0) results.problems.push('container tools: see above');
}
for (const suite of chosen) await runSuite(suite);
rmSync(folder, { recursive: true, force: true });
conclude();

/** Runs a suite. Files that failed are run once more, alone; what passes only then is flaky, and is shown with its reason. */
async function runSuite(suite: CiSuite): Promise<void> {
  const first = await runVitest(suite, suite.title, []);
  results.passed += first.report?.passed ?? 0;
  if (first.code === 0) return;
  const files = first.report?.failedFiles ?? [];
  if (files.length > 0 && files.length <= REPEATED_FILES) {
    const again = await runVitest(suite, `${suite.title}, once more`, ['--maxWorkers', '1', ...files]);
    if (again.code === 0) {
      results.flaky.push(...files);
      results.passed += first.report?.failed ?? 0;
      show(`passed only at the second try, in ${suite.title}`, first.report?.failures ?? []);
      return;
    }
  }
  results.failed += Math.max(1, first.report?.failed ?? 1);
  const failures = first.report?.failures ?? [];
  // Everything passed and the suite failed all the same: an error outside of any test, or its deadline.
  results.problems.push(
    ...(failures.length > 0 ? failures : [`${suite.title}: ended with code ${first.code}; see above`]),
  );
}

async function runVitest(
  { words }: CiSuite,
  title: string,
  more: readonly string[],
): Promise<{ readonly code: number; readonly report: SuiteReport | null }> {
  const file = join(folder, `${title}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await run(title, ['npm', 'test', '--', ...words, ...reporters, ...more]);
  return { code, report: readReport(file, ROOT) };
}

/** Runs a command with its output here. Answers its exit code; one that a signal or the deadline ended counts as 1. */
async function run(title: string, [command = '', ...words]: readonly string[]): Promise<number> {
  const start = Date.now();
  console.log(`\n=== ${title}: ${[command, ...words].join(' ')}`);
  const child = spawn(command, words, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  running = child.pid;
  const left = Math.max(30_000, DEADLINE_MS - (Date.now() - begun));
  const timer = setTimeout(() => {
    console.log(`=== ${title} is ended: the time of this run is over`);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // its whole group
  }, left);
  const code = await new Promise<number>((resolve) => {
    child.on('error', () => resolve(1));
    child.on('exit', (status) => resolve(status ?? 1)); // not 'close': what a suite left behind may hold the output open
  });
  clearTimeout(timer);
  console.log(
    `=== ${title} ${code === 0 ? 'passed' : `FAILED (exit ${code})`} after ${Math.round((Date.now() - start) / 1000)} s`,
  );
  return code;
}

function show(heading: string, failures: readonly string[]): void {
  console.log(`\n=== ${heading}:`);
  for (const failure of failures) console.log(failure.split('\n').slice(0, SHOWN_LINES).join('\n'));
}

function conclude(): void {
  const flaky = results.flaky.length > FLAKY_FILES;
  if (flaky)
    results.problems.push(`${results.flaky.length} files passed only at the second try: ${results.flaky.join(', ')}`);
  if (results.problems.length > 0) show('what failed', results.problems);
  if (results.flaky.length > 0) console.log(`\nflaky: ${results.flaky.join(', ')}`);
  console.log(`\n${Math.round((Date.now() - begun) / MINUTE_MS)} minutes`);
  console.log(`${results.passed} passed, ${results.failed + (flaky ? 1 : 0)} failed`);
  process.exitCode = results.problems.length > 0 ? 1 : 0;
}
