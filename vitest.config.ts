import { defineConfig } from 'vitest/config';

// Every project resolves the workspace packages to their sources: tests need no build.
const conditions = { resolve: { conditions: ['source'] } };
const servers = {
  globalSetup: ['tests/support/servers.ts'],
  pool: 'forks' as const,
  isolate: false, // each file has a database and a prefix of its own; loading everything anew is a third of the time
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

/** The tests that plug-ins bring. */
const PLUGIN_TESTS = '{examples,tests/examples}/*/tests/*.test.ts';

/** The test files of these folders. */
const filesOf = (...folders: readonly string[]) => folders.map((folder) => `tests/${folder}/**/*.test.ts`);
const browsers = { ...servers, globalSetup: ['tests/support/servers.ts', 'tests/support/chromium.ts'] };

export default defineConfig({
  ...conditions,
  ssr: conditions,
  environments: { __vitest__: conditions }, // it loads globalSetup
  test: {
    fsModuleCache: true, // what one run has compiled, the next need not
    // A package below Google's client offers its TypeScript under the same condition: it has to be compiled with ours.
    server: { deps: { inline: [/@langchain\/google/, /eventsource-parser/] } },
    maxWorkers: 4, // files wait for servers and timers as long as they compute, and clone databases of their own
    coverage: {
      provider: 'v8',
      include: ['shared/*/src/**', 'services/*/src/**'],
      exclude: ['**/*.test.ts', '**/main.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      // The core: what a message goes through on its way.
      thresholds: {
        'shared/platform/src/streams/**': { lines: 90 },
        'services/worker/src/turn/{lanes,threads,turn,turn-end}.ts': { lines: 90 },
        'services/worker/src/tools/**': { lines: 90 },
      },
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{shared,services,examples,infra}/*/src/**/*.test.ts',
            'tests/{,ci/,architecture/}*.test.ts',
            'tests/contracts/**/*.test.ts',
            'tests/bench/**/*.test.ts',
          ],
          testTimeout: 30_000, // generous: a busy machine is no failure, and what a test may cost it measures itself
          isolate: false, // pure code leaves nothing behind, and loading everything anew for each file is half of the time
        },
      },
      { test: { name: 'integration', include: filesOf('integration'), ...servers } },
      { test: { name: 'telegram', include: filesOf('{telegram,whatsapp}'), ...servers } },
      { test: { name: 'ingress', include: filesOf('ingress'), ...servers } },
      { test: { name: 'web', include: filesOf('web'), ...servers } },
      { test: { name: 'agents', include: [...filesOf('agents'), PLUGIN_TESTS], ...servers } },
      { test: { name: 'providers', include: filesOf('providers'), ...servers } },
      { test: { name: 'languages', include: filesOf('languages'), ...servers } },
      { test: { name: 'local', include: filesOf('local'), ...servers } },
      { test: { name: 'mind', include: filesOf('mind'), ...servers, testTimeout: 180_000 } },
      { test: { name: 'e2e', include: filesOf('e2e'), ...servers } },
      { test: { name: 'browser', include: filesOf('browser'), ...browsers } },
      // The same files once more, as `npm test` and CI run them: a process serves one project, and loading and warming up the product is
      // seconds of CPU.
      { test: { name: 'together', include: filesOf('integration', 'e2e', 'browser'), ...browsers } },
      {
        test: {
          name: 'together-outside',
          include: [
            ...filesOf('{telegram,whatsapp}', 'ingress', 'web', 'agents', 'providers', 'local', 'languages'),
            PLUGIN_TESTS,
          ],
          ...servers,
        },
      },
      { test: { name: 'faults', include: filesOf('faults'), ...servers, testTimeout: 180_000 } },
      { test: { name: 'attack', include: filesOf('attack'), ...servers, testTimeout: 180_000 } },
      {
        test: { name: 'endurance', include: filesOf('endurance'), ...servers, testTimeout: 180_000 },
      },
      {
        test: {
          name: 'containers',
          include: filesOf('containers'),
          ...servers,
          testTimeout: 180_000, // an engine builds images, which takes a slow machine minutes
          hookTimeout: 1_200_000, // an image build installs all packages twice
          sequence: { groupOrder: 1 }, // after the others: it keeps every core busy
        },
      },
    ],
  },
});
