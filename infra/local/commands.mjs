import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** The oldest Node with process.loadEnvFile that runs every dependency: `engines` of package.json. */
const LOWEST_NODE = [20, 19];

const TYPESCRIPT = ['--conditions=source', '--import', 'tsx'];

/**
 * @typedef {{ title: string, words: string[], env: Record<string, string | undefined> }} Step one run of node
 * @typedef {{ mode: 'replace' | 'in-turn' | 'checks', steps: Step[], needsBuild?: true }} Plan
 */

/**
 * Describes a Node version that is too old; null for a supported one.
 * @param {string} version
 */
export function describeNodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [lowestMajor, lowestMinor] = LOWEST_NODE;
  if (major > lowestMajor || (major === lowestMajor && minor >= lowestMinor)) return null;
  return [
    `Signalbox needs Node ${LOWEST_NODE.join('.')} or newer; this is Node ${version}.`,
    'Install a newer one (https://nodejs.org/en/download, or `nvm install 20`), then run the same command again.',
  ].join('\n');
}

/**
 * Plans the node runs of a command, without starting any.
 * @param {string} command
 * @param {readonly string[]} words the words after the command
 * @param {string} checkout
 * @param {Record<string, string | undefined>} environment
 * @returns {Plan | { problem: string }}
 */
export function planCommand(command, words, checkout, environment) {
  switch (command) {
    case 'start':
      return built('start', ['infra/local/dist/start.js', ...words], environment);
    case 'chat':
      return built('chat', ['infra/local/dist/chat/chat.js', ...words], environment);
    case 'signalbox': {
      const env = { ...runningServers(checkout, environment), ...environment };
      return built('signalbox', ['services/cli/dist/main.js', ...words], env);
    }
    case 'test':
      return replaceWith(
        'test',
        ['node_modules/vitest/vitest.mjs', 'run', ...chooseSuites(words), ...words],
        environment,
      );
    case 'ci':
      return replaceWith('ci', [...TYPESCRIPT, 'tests/ci/main.ts', ...words], environment);
    case 'check':
      return { mode: 'checks', steps: planChecks(words, environment) };
    case 'soak':
      return replaceWith('soak', [...TYPESCRIPT, 'tests/endurance/soak/main.ts', ...words], environment);
    case 'bench':
      return planBench(words, checkout, environment);
    case 'new':
      return replaceWith('new', [...TYPESCRIPT, 'infra/local/src/scaffold/main.ts', ...words], environment);
    case 'measure':
      return replaceWith('measure', [...TYPESCRIPT, 'tests/architecture/measure.ts', ...words], environment);
    default:
      return {
        problem: `There is no command '${command}'. Known: start, chat, signalbox, test, check, ci, soak, bench, new, measure.`,
      };
  }
}

/**
 * The projects of `npm test`: `together` is integration, e2e and browser in the same processes. The other suites, such as faults,
 * attack and containers, take long: CI runs them after it, and naming them, or a file, does.
 * @param {readonly string[]} words @returns {string[]}
 */
function chooseSuites(words) {
  if (words.some((word) => word.startsWith('--project'))) return [];
  if (words.some((word) => word.startsWith('tests/'))) return ['--project=!together*']; // runs each file once, in its own suite
  return ['--project=unit', '--project=together'];
}

/**
 * The servers, the plug-ins and the bubblewrap of the instance that runs in this checkout, as environment variables; empty when none runs.
 * @param {string} checkout
 * @param {Record<string, string | undefined>} environment
 */
function runningServers(checkout, environment) {
  const file = join(resolve(checkout, environment['SIGNALBOX_DATA_DIR'] || '.signalbox'), 'run.json');
  try {
    const { databaseUrl, redisUrl, bubblewrap, agents } = JSON.parse(readFileSync(file, 'utf8'));
    // An empty _FILE keeps that of .env out.
    /** @param {string} name @param {string} value */
    const url = (name, value) => (environment[`${name}_FILE`] ? {} : { [name]: value, [`${name}_FILE`]: '' });
    return { ...url('DATABASE_URL', databaseUrl), ...url('REDIS_URL', redisUrl), AGENTS: agents, ...bubblewrap };
  } catch {
    return {}; // nothing runs here
  }
}

/** @param {string} title @param {readonly string[]} words @param {Record<string, string | undefined>} env @returns {Plan} */
function replaceWith(title, words, env) {
  return { mode: 'replace', steps: [{ title, words, env }] };
}

/**
 * Plans a compiled program: a loader would cost each process half a second.
 * @param {string} title
 * @param {readonly string[]} words
 * @param {Record<string, string | undefined>} env
 * @returns {Plan}
 */
function built(title, words, env) {
  return { ...replaceWith(title, words, env), needsBuild: true };
}

// Cached by content, because a fresh checkout has new file times.
const FORMAT = ['--check', '--cache', '--cache-strategy', 'content', '--log-level', 'warn', '.'];

const UNIT_TESTS = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit'];

/**
 * Plans all checks; `--without-tests` skips the unit tests, which `npm test` has run already.
 * @param {readonly string[]} words @param {Record<string, string | undefined>} env @returns {Step[]}
 */
function planChecks(words, env) {
  const steps = [
    // First, because it takes as long as all others together. Two workers: as many as the smallest machine has cores.
    { title: 'unit tests', words: [...UNIT_TESTS, '--maxWorkers', '2'], env },
    // The root configuration includes the tests.
    { title: 'types', words: ['node_modules/typescript/bin/tsc', '-b'], env },
    { title: 'format', words: ['node_modules/prettier/bin/prettier.cjs', ...FORMAT], env },
    { title: 'lint', words: ['node_modules/oxlint/bin/oxlint'], env },
    { title: 'unused code', words: ['node_modules/knip/bin/knip.js'], env },
    { title: 'commits', words: ['infra/local/lint-commits.mjs'], env },
  ];
  return words.includes('--without-tests') ? steps.slice(1) : steps;
}

/**
 * @param {readonly string[]} words
 * @param {string} checkout
 * @param {Record<string, string | undefined>} env
 * @returns {Plan | { problem: string }}
 */
function planBench(words, checkout, env) {
  const folder = join(checkout, 'tests/bench');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ts')) : [];
  const benches = names.map((name) => basename(name, '.ts')).toSorted();
  const [wanted, ...rest] = words;
  const named = wanted !== undefined && !wanted.startsWith('-');
  // Options without a name belong to the comparison with peers.
  const only = named ? basename(wanted, '.ts') : wanted && 'peers';
  const chosen = only ? benches.filter((name) => name === only) : benches;
  if (chosen.length === 0) {
    const known = benches.length > 0 ? `Known: ${benches.join(', ')}.` : 'There are none in tests/bench.';
    return { problem: named ? `There is no bench '${wanted}'. ${known}` : known };
  }
  const passed = named ? rest : words;
  const steps = chosen.map((name) => ({
    title: name,
    words: [...TYPESCRIPT, `tests/bench/${name}.ts`, ...passed],
    env,
  }));
  return { mode: 'in-turn', steps };
}
