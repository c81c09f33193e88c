import { defineConfig } from 'vitest/config';

// Every project resolves the workspace packages to their sources: tests need no build.
const conditions = { resolve: { conditions: ['source'] } };
const source = { ...conditions, ssr: conditions, environments: { __vitest__: conditions } }; // __vitest__ loads globalSetup
// A package below Google's client offers its TypeScript under the same condition: it has to be compiled with ours.
const server = { deps: { inline: [/@langchain\/google/, /eventsource-parser/] } };
const servers = {
  server,
  globalSetup: ['tests/support/servers.ts'],
  pool: 'forks' as const,
  isolate: false, // each file has a database and a prefix of its own; loading everything anew is a third of the time
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  ...source,
  test: {
    maxWorkers: 3, // files wait for servers and timers more than they compute, and clone databases of their own
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
        ...source,
        test: {
          name: 'unit',
          server,
          include: [
            '{shared,services,infra}/*/src/**/*.test.ts',
            'tests/{,ci/}*.test.ts',
            'tests/contracts/**/*.test.ts',
            'tests/bench/**/*.test.ts',
          ],
          testTimeout: 30_000, // generous: a busy machine is no failure, and what a test may cost it measures itself
          isolate: false, // pure code leaves nothing behind, and loading everything anew for each file is half of the time
        },
      },
      { ...source, test: { name: 'integration', include: ['tests/integration/**/*.test.ts'], ...servers } },
      { ...source, test: { name: 'telegram', include: ['tests/{telegram,whatsapp}/**/*.test.ts'], ...servers } },
      { ...source, test: { name: 'ingress', include: ['tests/ingress/**/*.test.ts'], ...servers } },
      { ...source, test: { name: 'web', include: ['tests/web/**/*.test.ts'], ...servers } },
      { ...source, test: { name: 'agents', include: ['tests/agents/**/*.test.ts'], ...servers } },
      { ...source, test: { name: 'providers', include: ['tests/providers/**/*.test.ts'], ...servers } },
      { ...source, test: { name: 'local', include: ['tests/local/**/*.test.ts'], ...servers } },
      { ...source, test: { name: 'e2e', include: ['tests/e2e/**/*.test.ts'], ...servers } },
      {
        ...source,
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          ...servers,
          globalSetup: ['tests/support/servers.ts', 'tests/support/chromium.ts'],
        },
      },
      { ...source, test: { name: 'faults', include: ['tests/faults/**/*.test.ts'], ...servers, testTimeout: 180_000 } },
      { ...source, test: { name: 'attack', include: ['tests/attack/**/*.test.ts'], ...servers, testTimeout: 180_000 } },
      {
        ...source,
        test: { name: 'endurance', include: ['tests/endurance/**/*.test.ts'], ...servers, testTimeout: 180_000 },
      },
      {
        ...source,
        test: {
          name: 'containers',
          include: ['tests/containers/**/*.test.ts'],
          ...servers,
          testTimeout: 180_000, // an engine builds images, which takes a slow machine minutes
          hookTimeout: 1_200_000, // an image build installs all packages twice
          sequence: { groupOrder: 1 }, // after the others: it keeps every core busy
        },
      },
    ],
  },
});
