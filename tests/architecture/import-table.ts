/** The first rule whose `from` matches a file decides. What only `types` allows must be imported with `import type`. */
export interface ImportRule {
  readonly from: string;
  readonly may: readonly string[];
  readonly types?: readonly string[];
}

/** What everything may stand on: shapes, errors, time, and the sentences for people. */
const CONTRACTS = 'shared/{contracts,messages}/src/**';
const SAFETY = 'shared/safety/src/**';
/** Pure functions over texts, for every sink: they know nothing but each other. */
const REDACT = 'shared/safety/src/redact/**';
/** All but the planner: it is one model of many, so only models and the CLI, which explains it, know of it. */
const SHARED = 'shared/{messages,contracts,platform,store,safety,models,analysis,plugins}/src/**';
const PLANNER = 'shared/planner/src/**';
/** What governs actions: services decide by it, and nothing below them knows it. */
const GOVERNANCE = 'shared/governance/src';
const GATEWAY = 'services/gateway/src';
const WEB_PAGE = `${GATEWAY}/channels/web/page`;
/** What the pages share. */
const PAGE_KIT = 'infra/page-kit/src/**';
const WORKER = 'services/worker/src';

const CAPABILITY_MAY = [
  `${WORKER}/tools/tool.ts`,
  `${WORKER}/tools/origins.ts`,
  `${WORKER}/tools/shown-findings.ts`, // findings are results of two groups
  `${WORKER}/tools/version-choices.ts`, // versions are arguments of two groups
  `${WORKER}/tools/arguments/since.ts`, // pure; times in the past are arguments of two groups
  CONTRACTS,
  'shared/safety/src/shell/classification.ts',
  'shared/analysis/src/{rules,reports}/**', // pure; sentences about findings
  'shared/analysis/src/fixes/{fix,fixable}.ts', // pure; whether a finding can be fixed
  'shared/safety/src/public-address.ts', // pure; whether a server is one of the internet is a part of its risk
];

/** The surface of the core for plug-ins. */
const PLUGIN_MAY = [
  CONTRACTS,
  'shared/plugins/src/plugin.ts',
  'shared/safety/src/secrets/step-up-code.ts',
  'shared/store/src/{pool,sql,conversation/outbox}.ts',
  `${WORKER}/plugin-parts.ts`,
  `${WORKER}/agents/{agent,object}.ts`,
  `${WORKER}/guided/{actions,define,load,spec}.ts`,
  `${WORKER}/tools/{tool,ports/ports}.ts`,
  `${GOVERNANCE}/calls/call.ts`,
];

/** What every agent may use, whatever it does. */
const AGENT_PARTS = `${WORKER}/agents/{agent,handoff,object,without-secrets,add-messages,model-context,recorded-messages,outside-view,clean-reader}.ts`;

/** Who may import whom. A file that no rule covers fails, so that the place of a new folder is decided here. */
export const IMPORT_TABLE: readonly ImportRule[] = [
  // Tests see what the package that they test sees.
  { from: 'shared/<package>/src/**/*.{test,fixture}.ts', may: [SHARED, PLANNER, `${GOVERNANCE}/**`] },
  { from: 'services/<service>/src/**/*.test.ts', may: ['services/<service>/src/**', `${GOVERNANCE}/**`, SHARED] },
  { from: 'examples/<plugin>/src/**/*.test.ts', may: ['examples/<plugin>/**', `${WORKER}/**`, SHARED] },
  { from: 'infra/<part>/**/*.test.ts', may: ['infra/<part>/**', SHARED] },
  { from: 'examples/<plugin>/tests/**', may: ['**'] },
  { from: 'tests/**', may: ['**'] },

  // The packages of shared/ stand on each other in this order. Contracts are safe in a browser, and hold no sentences.
  { from: 'shared/contracts/src/**', may: ['shared/contracts/src/**'] },
  { from: 'shared/messages/src/**', may: [CONTRACTS] },
  { from: REDACT, may: [REDACT] },
  { from: SAFETY, may: [SAFETY, CONTRACTS] },
  // Analyzers are pure, and what they find is kept by whoever runs them: they know no database and no queue.
  { from: 'shared/analysis/src/**', may: ['shared/analysis/src/**', CONTRACTS, SAFETY] },
  { from: 'shared/platform/src/**', may: ['shared/platform/src/**', CONTRACTS, SAFETY] },
  {
    from: 'shared/store/src/leases.ts',
    may: ['shared/store/src/**', 'shared/platform/src/{lifecycle,log,loop}.ts'],
  },
  { from: 'shared/store/src/**', may: ['shared/store/src/**', 'shared/platform/src/log.ts', SAFETY, CONTRACTS] },
  // Governance knows tools by what they declare: the worker hands in the way to their handlers.
  { from: `${GOVERNANCE}/{calls,provenance}/**`, may: [`${GOVERNANCE}/{calls,provenance}/**`, SHARED] },
  { from: `${GOVERNANCE}/{freezes,plans,permissions}/**`, may: [`${GOVERNANCE}/**`, SHARED] },
  { from: `${GOVERNANCE}/*.ts`, may: [`${GOVERNANCE}/**`, SHARED] },
  { from: 'shared/plugins/src/**', may: ['shared/plugins/src/**', CONTRACTS], types: ['shared/store/src/**', SAFETY] },
  { from: PLANNER, may: [PLANNER, CONTRACTS] },
  {
    from: 'shared/models/src/**',
    may: ['shared/models/src/**', PLANNER, 'shared/platform/src/log.ts', CONTRACTS],
  },

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
      AGENT_PARTS,
      `${WORKER}/guided/**`,
      `${WORKER}/agents/<agent>/**`,
      `${WORKER}/agents/product-owner/index.ts`, // an agent may talk as the default one does, bound to some groups
      `${WORKER}/tools/agent-groups.ts`, // pure; which groups an agent is bound to
      'shared/models/src/**',
      'shared/safety/src/cards/{canonical,canonical-card}.ts', // pure; a button shows what it sends
      'shared/safety/src/redact/redact.ts', // pure; a record's hashes are of texts without secrets
      CONTRACTS,
    ],
    types: [`${WORKER}/{tools,checkpoints,loop}/**`, `${GOVERNANCE}/**`], // handed in by worker.ts
  },
  // What agents share whose graph decides: it knows none of them.
  {
    from: `${WORKER}/guided/**`,
    may: [
      AGENT_PARTS,
      `${WORKER}/guided/**`,
      'shared/models/src/**',
      'shared/safety/src/cards/canonical.ts', // as above
      'shared/safety/src/redact/redact.ts', // as above
      CONTRACTS,
    ],
    types: [`${WORKER}/{tools,loop}/**`, `${GOVERNANCE}/**`], // as above
  },
  {
    from: `${WORKER}/agents/*.ts`,
    may: [`${WORKER}/agents/*.ts`, `${WORKER}/checkpoints/**`, SHARED],
    types: [`${WORKER}/{tools,loop}/**`, `${GOVERNANCE}/**`],
  },
  // The phases of a turn, and when it ends.
  { from: `${WORKER}/loop/**`, may: [`${WORKER}/loop/**`, `${GOVERNANCE}/**`, SHARED] },
  // Replay puts agents and governance together anew, without anything that has an effect.
  { from: `${WORKER}/replay/**`, may: [`${WORKER}/{replay,agents,loop,tools}/**`, `${GOVERNANCE}/**`, SHARED] },
  { from: `${WORKER}/tools/**`, may: [`${WORKER}/tools/**`, `${GOVERNANCE}/calls/**`, SHARED] },
  {
    from: `${WORKER}/turn/**`,
    may: [`${WORKER}/{turn,attachments,agents,checkpoints,loop,tools}/**`, `${GOVERNANCE}/**`, SHARED],
  },
  // What becomes of the files of a message, before the agent is asked.
  {
    from: `${WORKER}/attachments/**`,
    may: [`${WORKER}/attachments/**`, SHARED],
    types: [`${WORKER}/tools/run.ts`, `${GOVERNANCE}/calls/**`], // handed in by the turn
  },
  // What a prompt is told is read from the store and written down; it knows no agent and no tool.
  { from: `${WORKER}/context/**`, may: [`${WORKER}/context/**`, SHARED] },
  // What a checkpoint holds is LangGraph's: no agent and no tool.
  { from: `${WORKER}/checkpoints/**`, may: [`${WORKER}/checkpoints/**`, SHARED] },
  { from: `${WORKER}/*.ts`, may: [`${WORKER}/**`, `${GOVERNANCE}/**`, SHARED] },

  // A channel knows its outside world, the interface and the catalog of sentences, not who admits or delivers.
  // What channels share knows none of them.
  {
    from: `${GATEWAY}/channels/{http,text}/**`,
    may: [`${GATEWAY}/channels/{http,text}/**`, SHARED],
    types: [`${GATEWAY}/metrics.ts`, `${GATEWAY}/channels/channel.ts`],
  },
  // The page of the web channel runs in a browser, and reads markdown as every channel does.
  {
    from: `${WEB_PAGE}/**`,
    may: [
      `${WEB_PAGE}/**`,
      PAGE_KIT,
      `${GATEWAY}/channels/text/{block,clean-text,document}.ts`,
      'shared/messages/src/format-sentence.ts',
      'shared/contracts/src/**',
    ],
    types: ['shared/messages/src/page-sentences.ts'],
  },
  {
    from: `${GATEWAY}/channels/<channel>/**`,
    may: [
      `${GATEWAY}/channels/{channel,chat-key,decided-elsewhere,menu}.ts`,
      `${GATEWAY}/channels/{http,text}/**`,
      `${GATEWAY}/channels/<channel>/**`,
      SHARED,
    ],
  },
  { from: `${GATEWAY}/channels/channel.ts`, may: [], types: [SHARED, `${GATEWAY}/metrics.ts`] },
  // What a command does is the same in every channel.
  {
    from: `${GATEWAY}/commands/**`,
    may: [
      `${GATEWAY}/{commands,delivery,rows}/**`,
      `${GATEWAY}/channels/links.ts`,
      `${GOVERNANCE}/{*,freezes/freezes}.ts`,
      SHARED,
    ],
    types: [`${GATEWAY}/channels/channel.ts`],
  },
  { from: `${GATEWAY}/**`, may: [`${GATEWAY}/**`, `${GOVERNANCE}/*.ts`, SHARED] },

  // A driver knows one way to reach a server, and nothing of deployments.
  {
    from: 'services/jobs/src/drivers/**',
    // What a driver builds and starts on this machine, it starts in the sandbox.
    may: [
      'services/jobs/src/drivers/**',
      'services/jobs/src/sandbox/{cgroup,confinement,kept-output}.ts',
      CONTRACTS,
      REDACT,
      'shared/platform/src/log.ts',
    ],
  },
  {
    from: 'services/jobs/src/traffic/**',
    may: ['services/jobs/src/traffic/**', CONTRACTS, 'shared/platform/src/log.ts'],
  },
  { from: 'services/jobs/src/**', may: ['services/jobs/src/**', `${GOVERNANCE}/*.ts`, SHARED] },
  // What carries people's traffic stands alone: it needs neither Redis nor Postgres.
  {
    from: 'services/proxy/src/**',
    may: ['services/proxy/src/**', CONTRACTS, 'shared/platform/src/{config,log,lifecycle,loop,probe,metrics}.ts'],
  },
  // Explaining a plan needs the catalog of what is installed, which is the capabilities themselves.
  {
    from: 'services/cli/src/commands/policy/plan.ts',
    may: ['services/cli/src/**', `${WORKER}/tools/registry.ts`, SHARED, PLANNER],
  },
  // A search finds what the tool of the same name finds, under the same policies.
  {
    from: 'services/cli/src/commands/search.ts',
    may: ['services/cli/src/**', `${WORKER}/search-as.ts`, SHARED],
  },
  // Going through turns again is done by the agents themselves.
  {
    from: 'services/cli/src/commands/replay.ts',
    may: ['services/cli/src/**', `${WORKER}/{replay/replay,plugin-parts}.ts`, SHARED],
  },
  // The states of conversations have tables of their own, which the owner makes as well.
  {
    from: 'services/cli/src/commands/installation/{migrate,restore}.ts',
    may: ['services/cli/src/**', `${WORKER}/checkpoints/set-up.ts`, SHARED],
  },
  // What an auditor runs alone is what the command runs: a history is judged by one program.
  {
    from: 'services/cli/src/commands/audit/audit-verify.ts',
    may: ['services/cli/src/**', 'infra/audit/verify.mjs', SHARED],
  },
  {
    from: 'services/cli/src/{audit-database,audit/export}.ts',
    may: ['services/cli/src/**', SHARED],
    types: ['infra/audit/verify.mjs'],
  },
  // What pipelines copy is what the command runs.
  { from: 'services/cli/src/commands/gate.ts', may: ['services/cli/src/**', 'infra/gate/gate.mjs', SHARED] },
  // Whether a sandbox works is found out by opening one.
  {
    from: 'services/cli/src/checks/{confinement,sandbox}.ts',
    may: ['services/cli/src/**', 'services/jobs/src/sandbox/{confinement,program,sandbox}.ts', SHARED],
  },
  { from: 'services/cli/src/**', may: ['services/cli/src/**', SHARED] },

  // What docs/extending/plugins.md says of a plug-in. Nothing of the core imports one: it is loaded by its name.
  {
    from: 'examples/<plugin>/src/**',
    may: ['examples/<plugin>/src/**', ...PLUGIN_MAY],
  },

  // What starts everything runs before anything is installed, and the page runs in a browser.
  { from: 'infra/local/*.mjs', may: ['infra/local/*.mjs'] },
  // An auditor runs it alone.
  { from: 'infra/audit/*.mjs', may: [] },
  // Runs before anything is installed, also in a bare container.
  { from: 'infra/docker/*.mjs', may: [] },
  // It is copied into the repositories of others.
  { from: 'infra/gate/*.mjs', may: [] },
  // A project that is deployed knows nothing of what deploys it.
  { from: 'infra/demo/releases/<release>/**', may: ['infra/demo/releases/<release>/**'] },
  { from: PAGE_KIT, may: [PAGE_KIT] },
  // Bot authors elsewhere run the simulator alone: it imports nothing of the product.
  {
    from: 'infra/telegram-simulator/src/page/**',
    may: [
      'infra/telegram-simulator/src/page/**',
      PAGE_KIT,
      'infra/telegram-simulator/src/{people/visibility,rich/rich-text-form}.ts', // they run in a browser too
    ],
    types: ['infra/telegram-simulator/src/**'],
  },
  { from: 'infra/telegram-simulator/src/**', may: ['infra/telegram-simulator/src/**'] },
  { from: 'infra/forge-simulator/src/**', may: ['infra/forge-simulator/src/**'] },
  { from: 'infra/whatsapp-simulator/src/**', may: ['infra/whatsapp-simulator/src/**'] },
  // What a service reads of the environment is what it is given.
  {
    from: 'infra/local/src/supervisor/service-variables.ts',
    may: ['services/{gateway,jobs,proxy,worker}/src/config.ts', 'shared/platform/src/secret-files.ts'],
  },
  // The chat in a terminal speaks as the people of the simulator do.
  {
    from: 'infra/local/src/chat/**',
    may: ['infra/local/src/**', 'infra/telegram-simulator/src/simulator-client.ts', SHARED],
    types: ['infra/telegram-simulator/src/{people,store}/**'],
  },
  { from: 'infra/<part>/src/**', may: ['infra/<part>/src/**', SHARED] },
];

/** Where an outside package may be imported: `homes` freely, `types` with `import type` only. */
export interface PackageHome {
  readonly name: string;
  readonly homes: readonly string[];
  readonly types?: readonly string[];
}

const TELEGRAM = `${GATEWAY}/channels/telegram/**`;
const EVERY_CHANNEL = `${GATEWAY}/channels/**`;
const SIMULATOR = 'infra/telegram-simulator/src';
const WHATSAPP_SIMULATOR = 'infra/whatsapp-simulator/src/**';
const DEPENDENCIES = 'shared/analysis/src/analyzers/dependencies/**';
const TESTS = ['**/*.test.ts', '**/*.fixture.ts', 'tests/**'];

/** One home per outside package, so that replacing one is the work of one folder. Tests may import any. */
export const PACKAGE_HOMES: readonly PackageHome[] = [
  { name: 'zod', homes: ['**'] },
  { name: 'intl-messageformat', homes: ['shared/messages/src/**', 'tests/architecture/messages.ts'] },
  { name: 'croner', homes: ['shared/messages/src/schedule/next-runs.ts'] },
  { name: 'ioredis', homes: ['shared/platform/src/redis.ts', 'shared/platform/src/{streams,queue}/**'] },
  { name: 'bullmq', homes: ['shared/platform/src/queue/**'] },
  { name: 'pg', homes: ['shared/store/src/**', 'infra/local/src/**'] },
  { name: 'pg-copy-streams', homes: ['shared/store/src/backup/**'] },
  { name: 'kysely', homes: ['shared/store/src/**', 'services/*/src/**'] },
  { name: '@cedar-policy/cedar-wasm', homes: ['shared/safety/src/policy/**'] },
  { name: 'unbash', homes: ['shared/safety/src/shell/**'] },
  { name: 'sh-syntax', homes: ['shared/safety/src/shell/**'] },
  { name: 'pino', homes: ['shared/platform/src/log.ts'] },
  { name: '@opentelemetry/*', homes: ['shared/platform/src/tracing/{otel,exporter}.ts'] }, // loaded when they are used
  // A service owns its figures; what serves them is shared.
  { name: '@prometheus-io/client', homes: ['shared/platform/src/{probe,metrics}.ts', 'services/*/src/metrics.ts'] },
  { name: 'grammy', homes: [TELEGRAM], types: [`${SIMULATOR}/**`] },
  {
    name: 'undici',
    homes: [EVERY_CHANNEL, 'services/jobs/src/forges/**', 'services/jobs/src/engineering/open-engineering.ts'],
  },
  { name: 'mdast', homes: [], types: [EVERY_CHANNEL] },
  { name: 'mdast-util-*', homes: [EVERY_CHANNEL] },
  { name: 'micromark-extension-gfm', homes: [EVERY_CHANNEL] },
  {
    name: '@langchain/*',
    homes: [
      `${WORKER}/{agents,guided,checkpoints,replay}/**`,
      'shared/{models,planner}/src/**',
      'services/jobs/src/engineering/ask-node.ts', // the nodes that change code
    ],
    types: [`${WORKER}/worker.ts`, `${WORKER}/wire.ts`], // they hand the model on and never speak to it
  },
  { name: 'jose', homes: ['services/gateway/src/channels/ingress/gates/token.ts'] },
  { name: 'eld', homes: ['services/gateway/src/admission/written-language.ts'] },
  { name: 'fastify', homes: [`${SIMULATOR}/**`, WHATSAPP_SIMULATOR, EVERY_CHANNEL] },
  { name: '@fastify/websocket', homes: [EVERY_CHANNEL] },
  { name: '@fastify/cookie', homes: [EVERY_CHANNEL] },
  { name: '@fastify/busboy', homes: [`${SIMULATOR}/**`] },
  { name: 'ajv', homes: [`${SIMULATOR}/**`] },
  { name: 'esbuild', homes: [`${SIMULATOR}/server.ts`, `${WEB_PAGE}/bundle.mjs`, 'infra/local/build.mjs'] },
  { name: 'preact', homes: [`${SIMULATOR}/page/**`, `${WEB_PAGE}/**`, PAGE_KIT] },
  { name: 'decimal.js', homes: ['examples/bank/src/mortgage/**'] },
  { name: 'dockerode', homes: ['services/jobs/src/drivers/**'] },
  { name: 'ssh2', homes: ['services/jobs/src/drivers/**'] },
  { name: 'tar-fs', homes: ['services/jobs/src/drivers/**'] },
  { name: 'diff', homes: ['services/jobs/src/workspace/**'] },
  { name: '@renovatebot/pep440', homes: [DEPENDENCIES] },
  { name: '@yarnpkg/parsers', homes: [DEPENDENCIES] },
  { name: 'js-yaml', homes: [DEPENDENCIES] },
  { name: 'saxes', homes: [DEPENDENCIES] },
  { name: 'chardet', homes: ['shared/analysis/src/scan/**'] },
  { name: 'semver', homes: [DEPENDENCIES] },
  { name: 'spdx-expression-parse', homes: [DEPENDENCIES] },
  { name: 'ae-cvss-calculator', homes: ['shared/analysis/src/advisories/**'] },
  { name: 'smol-toml', homes: [DEPENDENCIES] },
  { name: 'vitest', homes: TESTS },
];
