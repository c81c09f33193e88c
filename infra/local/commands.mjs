import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const TYPESCRIPT = ['--conditions=source', '--import', 'tsx'];
/** Keeps the launcher small, which computes only when it starts. A still smaller heap would delay the start. */
const SMALL = ['--max-semi-space-size=4'];

/**
 * @typedef {{ title: string, args: string[], env: Record<string, string | undefined>, node?: string }} Step one run of node, by default
 *   the one that runs this
 * @typedef {{ mode: 'replace' | 'in-turn' | 'checks', steps: Step[], needsBuild?: true }} Plan
 */

/**
 * Plans the node runs of a command, without starting any.
 * @param {string} command
 * @param {readonly string[]} args arguments after the command
 * @param {string} checkout
 * @param {Record<string, string | undefined>} environment
 * @returns {Plan | { problem: string }}
 */
export function planCommand(command, args, checkout, environment) {
  switch (command) {
    case 'start':
      return planBuiltRun('start', [...SMALL, 'infra/local/dist/start.js', ...args], environment);
    case 'chat':
      return planBuiltRun('chat', ['infra/local/dist/chat/chat.js', ...args], environment);
    case 'signalbox': {
      const instance = readRunningInstance(checkout, environment);
      // A restore needs a database, and nothing that works in it.
      if (args[0] === 'restore' && !('DATABASE_URL' in instance) && !environment['DATABASE_URL_FILE'])
        return planBuiltRun('signalbox', ['infra/local/dist/restore.js', ...args], environment);
      const env = { ...instance, ...environment };
      return planBuiltRun('signalbox', ['services/cli/dist/main.js', ...args], env);
    }
    case 'test':
      return planRun('test', ['node_modules/vitest/vitest.mjs', 'run', ...chooseSuites(args), ...args], environment);
    case 'ci':
      return planRun('ci', [...TYPESCRIPT, 'tests/ci/main.ts', ...args], environment);
    case 'check':
      return { mode: 'checks', steps: planChecks(args, environment, checkout) };
    case 'soak':
      return planRun('soak', [...TYPESCRIPT, 'tests/endurance/soak/main.ts', ...args], environment);
    case 'bench':
      return planBench(args, checkout, environment);
    case 'mind':
      return planMind(args, environment);
    case 'new':
      return planRun('new', [...TYPESCRIPT, 'infra/local/src/scaffold/main.ts', ...args], environment);
    case 'measure':
      return planRun('measure', [...TYPESCRIPT, 'tests/architecture/measure.ts', ...args], environment);
    case 'docs':
      return planRun('docs', ['node_modules/vitepress/bin/vitepress.js', 'build', 'docs'], environment);
    case 'release':
      return planRun('release', ['infra/local/release.mjs'], environment);
    default:
      return {
        problem: `There is no command '${command}'. Known: start, chat, signalbox, test, check, ci, soak, bench, mind, new, measure, docs, release.`,
      };
  }
}

/** Selects the projects of `npm test`; slower suites run in CI. `together` is integration, e2e and browser in the same processes. */
function chooseSuites(args) {
  if (args.some((arg) => arg.startsWith('--project'))) return [];
  if (args.some((arg) => arg.startsWith('tests/'))) return ['--project=!together*']; // `together` would run the file a second time
  return ['--project=unit', '--project=together'];
}

/** Returns the servers, plug-ins and bubblewrap of the instance that runs in this checkout, as variables; empty without one. */
function readRunningInstance(checkout, environment) {
  const file = join(resolve(checkout, environment['SIGNALBOX_DATA_DIR'] || '.signalbox'), 'run.json');
  try {
    const { databaseUrl, redisUrl, bubblewrap, agents } = JSON.parse(readFileSync(file, 'utf8'));
    // An empty _FILE keeps that of .env out.
    /** @param {string} name @param {string} value */
    const url = (name, value) => (environment[`${name}_FILE`] ? {} : { [name]: value, [`${name}_FILE`]: '' });
    return { ...url('DATABASE_URL', databaseUrl), ...url('REDIS_URL', redisUrl), AGENTS: agents, ...bubblewrap };
  } catch {
    return {}; // no instance runs in this checkout
  }
}

function planRun(title, args, env) {
  return { mode: 'replace', steps: [{ title, args, env }] };
}

/** Plans a run of a compiled program, because a loader would take half a second. */
function planBuiltRun(title, args, env) {
  return { ...planRun(title, args, env), needsBuild: true };
}

/** Plans a session in the model's seat. Only its start needs compiled services; a session that is accepted runs as a test. */
function planMind(args, env) {
  const [command, name] = args;
  if (command === 'accept' && name === undefined)
    return { problem: 'Name the session to accept: a folder of tests/mind/sessions.' };
  if (command === 'accept') {
    const only = ['--project', 'mind', '--testNamePattern', ` ${name}$`, '--update'];
    return planRun('mind', ['node_modules/vitest/vitest.mjs', 'run', ...only], env);
  }
  const plan = planRun('mind', [...TYPESCRIPT, 'tests/mind/main.ts', ...args], env);
  return command === undefined || command === 'start' ? { ...plan, needsBuild: true } : plan;
}

// Cached by content, because a fresh checkout has new modification times. Prettier without --cache deletes the cache at its usual place.
const FORMAT_CACHE = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/format'];
const FORMAT = ['--check', ...FORMAT_CACHE, '--log-level', 'warn', '.'];

const UNIT_TESTS = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit'];

/** Plans all checks. `--without-tests` skips the unit tests, which `npm test` runs too. */
function planChecks(args, env, checkout) {
  const plugins = listPlugins(checkout);
  const steps = [
    // First, because they take as long as all other checks together. Two workers, because the smallest machine has two cores.
    { title: 'unit tests', args: [...UNIT_TESTS, '--maxWorkers', '2'], env },
    // The root configuration includes the tests, and no plug-in that `npm run new` made.
    { title: 'types', args: ['node_modules/typescript/bin/tsc', '-b', '.', ...plugins], env },
    // Second, because it takes as long as the three steps after it together.
    { title: 'lint', args: ['node_modules/oxlint/bin/oxlint'], env },
    { title: 'format', args: ['node_modules/prettier/bin/prettier.cjs', ...FORMAT], env },
    { title: 'unused code', args: ['node_modules/knip/bin/knip.js'], env },
    { title: 'commits', args: ['infra/local/lint-commits.mjs'], env },
  ];
  return args.includes('--without-tests') ? steps.slice(1) : steps;
}

function listPlugins(checkout) {
  const folder = join(checkout, 'examples');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => `examples/${name}`).filter((path) => existsSync(join(checkout, path, 'tsconfig.json')));
}

function planBench(args, checkout, env) {
  const folder = join(checkout, 'tests/bench');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ts')) : [];
  const benches = names.map((name) => basename(name, '.ts')).toSorted();
  const [wanted, ...rest] = args;
  const named = wanted !== undefined && !wanted.startsWith('-');
  // Options without a bench's name go to the bench `peers`.
  const only = named ? basename(wanted, '.ts') : wanted && 'peers';
  const chosen = only ? benches.filter((name) => name === only) : benches;
  if (chosen.length === 0) {
    const known = benches.length > 0 ? `Known: ${benches.join(', ')}.` : 'There are none in tests/bench.';
    return { problem: named ? `There is no bench '${wanted}'. ${known}` : known };
  }
  const passed = named ? rest : args;
  const steps = chosen.map((name) => ({
    title: name,
    args: [...TYPESCRIPT, `tests/bench/${name}.ts`, ...passed],
    env,
  }));
  return { mode: 'in-turn', steps, needsBuild: true };
}
