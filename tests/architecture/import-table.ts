/** The first rule whose `from` matches a file decides. What only `types` allows must be imported with `import type`. */
export interface ImportRule {
  readonly from: string;
  readonly may: readonly string[];
  readonly types?: readonly string[];
}

const SHARED = 'shared/src/**';
const CONTRACTS = 'shared/src/contracts/**';
/** Pure functions over texts, for every sink: they know nothing but each other. */
const REDACT = 'shared/src/redact/**';
/** Shared files that hold no connection and import nothing: words, numbers and pure functions. */
const LEAVES = 'shared/src/{errors,ids,time,nearest-name,canonical,storable}.ts';
const GATEWAY = 'services/gateway/src';
const WORKER = 'services/worker/src';

const CAPABILITY_MAY = [
  `${WORKER}/tools/tool.ts`,
  CONTRACTS,
  'shared/src/{errors,time}.ts',
  'shared/safety/src/shell/classification.ts',
  'shared/safety/src/public-address.ts', // pure; whether a server is one of the internet is a part of its risk
];

/** Who may import whom. A file that no rule covers fails, so that the place of a new folder is decided here. */
export const IMPORT_TABLE: readonly ImportRule[] = [
  // Tests see what the package that they test sees.
  { from: 'shared/src/**/*.test.ts', may: [SHARED] },
  { from: 'services/<service>/src/**/*.test.ts', may: ['services/<service>/src/**', SHARED] },
  { from: 'infra/<part>/**/*.test.ts', may: ['infra/<part>/**', SHARED] },
  { from: 'tests/**', may: ['**'] },

  // Contracts are safe in a browser. The wires (streams, queue, db, model) never import each other.
  { from: CONTRACTS, may: [CONTRACTS], types: ['shared/contracts/src/errors.ts'] },
  { from: LEAVES, may: [] },
  { from: REDACT, may: [REDACT] },
  { from: 'shared/src/*.ts', may: ['shared/src/*.ts', CONTRACTS, REDACT] },
  { from: 'shared/src/<wire>/**', may: ['shared/src/*.ts', CONTRACTS, REDACT, 'shared/src/<wire>/**'] },

  // A capability gets a ToolContext and nothing else, so that it cannot step around the runtime.
  // What a command is can be told from its text alone: reading it is pure, as the risk of a call has to be.
  // A large group keeps its tools in a folder of its name, under the same rule.
  {
    from: `${WORKER}/capabilities/<group>.ts`,
    may: [...CAPABILITY_MAY, `${WORKER}/capabilities/<group>/**`],
  },
  {
    from: `${WORKER}/capabilities/<group>/**`,
    may: [...CAPABILITY_MAY, `${WORKER}/capabilities/<group>/**`],
  },
  {
    from: `${WORKER}/agents/<agent>/**`,
    may: [
      `${WORKER}/agents/agent.ts`,
      `${WORKER}/agents/<agent>/**`,
      'shared/src/model/**',
      'shared/safety/src/cards/canonical-card.ts', // pure; a button shows what it sends
      'shared/safety/src/redact/redact.ts', // pure; a record's hashes are of texts without secrets
      CONTRACTS,
      LEAVES,
    ],
    types: [`${WORKER}/tools/**`, `${WORKER}/agents/checkpoints.ts`, `${WORKER}/governance/evaluation.ts`], // handed in by worker.ts
  },
  {
    from: `${WORKER}/agents/*.ts`,
    may: [`${WORKER}/agents/*.ts`, SHARED],
    types: [`${WORKER}/tools/**`, `${WORKER}/governance/**`],
  },
  // Governance decides and then calls handlers; nothing else reaches them.
  { from: `${WORKER}/governance/**`, may: [`${WORKER}/governance/**`, `${WORKER}/tools/**`, SHARED] },
  // Replay puts agents and governance together anew, without anything that has an effect.
  { from: `${WORKER}/replay/**`, may: [`${WORKER}/{replay,agents,governance,tools}/**`, SHARED] },
  { from: `${WORKER}/tools/**`, may: [`${WORKER}/tools/**`, SHARED] },
  { from: `${WORKER}/*.ts`, may: [`${WORKER}/**`, SHARED] },

  // A channel knows its outside world, the interface and the product's words, not who admits or delivers.
  {
    from: `${GATEWAY}/channels/<channel>/**`,
    may: [`${GATEWAY}/channels/channel.ts`, `${GATEWAY}/channels/<channel>/**`, `${GATEWAY}/{words,menu}.ts`, SHARED],
  },
  { from: `${GATEWAY}/channels/channel.ts`, may: [], types: [SHARED] },
  // What a command does is the same in every channel.
  {
    from: `${GATEWAY}/commands/*.ts`,
    may: [
      `${GATEWAY}/{command,words,approval-words,governance-words,admin-words,change}.ts`,
      `${GATEWAY}/commands/*.ts`,
      SHARED,
    ],
    types: [`${GATEWAY}/channels/channel.ts`],
  },
  { from: `${GATEWAY}/*.ts`, may: [`${GATEWAY}/**`, SHARED] },

  // A driver knows one way to reach a server, and nothing of deployments.
  {
    from: 'services/jobs/src/drivers/**',
    // What a driver builds and starts on this machine, it starts in the sandbox.
    may: [
      'services/jobs/src/drivers/**',
      'services/jobs/src/sandbox/confinement.ts',
      CONTRACTS,
      REDACT,
      'shared/src/{errors,ids,time,log}.ts',
    ],
  },
  {
    from: 'services/jobs/src/traffic/**',
    may: ['services/jobs/src/traffic/**', CONTRACTS, 'shared/src/{errors,ids,time,log}.ts'],
  },
  { from: 'services/jobs/src/**', may: ['services/jobs/src/**', SHARED] },
  // What carries people's traffic stands alone: it needs neither Redis nor Postgres.
  {
    from: 'services/proxy/src/**',
    may: ['services/proxy/src/**', CONTRACTS, 'shared/src/{config,errors,ids,time,log,lifecycle,probe,metrics}.ts'],
  },
  // Explaining a plan needs the catalog of what is installed, which is the capabilities themselves.
  {
    from: 'services/cli/src/commands/policy/plan.ts',
    may: ['services/cli/src/**', `${WORKER}/tools/registry.ts`, SHARED],
  },
  // Going through turns again is done by the agents themselves.
  {
    from: 'services/cli/src/commands/replay.ts',
    may: ['services/cli/src/**', `${WORKER}/replay/replay.ts`, SHARED],
  },
  // The states of conversations have tables of their own, which the owner makes as well.
  {
    from: 'services/cli/src/commands/migrate.ts',
    may: ['services/cli/src/**', `${WORKER}/agents/checkpoints.ts`, SHARED],
  },
  // Whether a sandbox works is found out by opening one.
  {
    from: 'services/cli/src/checks/{confinement,sandbox}.ts',
    may: ['services/cli/src/**', 'services/jobs/src/sandbox/{confinement,program,sandbox}.ts', SHARED],
  },
  { from: 'services/cli/src/**', may: ['services/cli/src/**', SHARED] },

  // What starts everything runs before anything is installed, and the page runs in a browser.
  { from: 'infra/local/*.mjs', may: ['infra/local/*.mjs'] },
  // An auditor runs it alone.
  { from: 'infra/audit/*.mjs', may: [] },
  // A project that is deployed knows nothing of what deploys it.
  // Runs before anything is installed, also in a bare container.
  { from: 'infra/docker/*.mjs', may: [] },
  { from: 'infra/demo/releases/<release>/**', may: ['infra/demo/releases/<release>/**'] },
  { from: 'infra/telegram-simulator/src/page/**', may: ['infra/telegram-simulator/src/page/**'] },
  { from: 'infra/<part>/src/**', may: ['infra/<part>/src/**', SHARED] },
];

/** Where an outside package may be imported: `homes` freely, `types` with `import type` only. */
export interface PackageHome {
  readonly name: string;
  readonly homes: readonly string[];
  readonly types?: readonly string[];
}

const TELEGRAM = `${GATEWAY}/channels/telegram/**`;
const SIMULATOR = 'infra/telegram-simulator/src';
const TESTS = ['**/*.test.ts', '**/*.fixture.ts', 'tests/**'];

/** One home per outside package, so that replacing one is the work of one folder. Tests may import any. */
export const PACKAGE_HOMES: readonly PackageHome[] = [
  { name: 'zod', homes: ['**'] },
  { name: 'ioredis', homes: ['shared/platform/src/redis.ts', 'shared/src/streams/**', 'shared/src/queue/**'] },
  { name: 'bullmq', homes: ['shared/src/queue/**'] },
  { name: 'pg', homes: ['shared/src/db/**', 'infra/local/src/**'] },
  { name: 'kysely', homes: ['shared/src/db/**'] },
  { name: '@cedar-policy/cedar-wasm', homes: ['shared/src/policy/**'] },
  { name: 'unbash', homes: ['shared/src/shell/**'] },
  { name: 'sh-syntax', homes: ['shared/src/shell/**'] },
  { name: 'pino', homes: ['shared/platform/src/log.ts'] },
  // A service owns its figures; what serves them is shared.
  { name: 'prom-client', homes: ['shared/src/{probe,metrics}.ts', 'services/*/src/metrics.ts'] },
  { name: 'grammy', homes: [TELEGRAM], types: [`${SIMULATOR}/**`] },
  { name: 'mdast', homes: [], types: [TELEGRAM] },
  { name: 'mdast-util-*', homes: [TELEGRAM] },
  { name: 'micromark-extension-gfm', homes: [TELEGRAM] },
  {
    name: '@langchain/*',
    homes: [`${WORKER}/{agents,replay}/**`, 'shared/src/model/**'],
    types: [`${WORKER}/worker.ts`, `${WORKER}/wire.ts`], // they hand the model on and never speak to it
  },
  { name: 'fastify', homes: [`${SIMULATOR}/**`, TELEGRAM] },
  { name: '@fastify/*', homes: [`${SIMULATOR}/**`] },
  { name: 'ajv', homes: [`${SIMULATOR}/**`] },
  { name: 'dockerode', homes: ['services/jobs/src/drivers/**'] },
  { name: 'ssh2', homes: ['services/jobs/src/drivers/**'] },
  { name: 'tar-fs', homes: ['services/jobs/src/drivers/**'] },
  { name: 'diff', homes: ['services/jobs/src/jobs/workspace/**'] },
  { name: 'vitest', homes: TESTS },
];
