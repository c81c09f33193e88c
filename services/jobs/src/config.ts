import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommonConfig, ForgeAddress, readConfig, SecretsConfig } from '@signalbox/platform/config';
import { listVariables } from '@signalbox/platform/secret-files';
import { TracingConfig, TracingWithoutKeysConfig } from '@signalbox/platform/tracing/settings';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { EmbeddingsConfig } from '@signalbox/models/embeddings/settings';
import { ModelConfig } from '@signalbox/models/settings';
import { z } from 'zod';
import { parseForges } from './forges/forge-settings.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const PoolConfig = CommonConfig.extend({
  /** Pools whose jobs this process runs, separated by commas. */
  JOBS_POOLS: z
    .string()
    .default(JobPool.options.join(','))
    .transform((names) => names.split(',').map((name) => name.trim()))
    .pipe(z.array(JobPool).min(1))
    .transform((pools) => [...new Set(pools)]),
  /** Maximum of concurrent jobs per pool in this process. */
  JOBS_CONCURRENCY: z.coerce.number().int().min(1).max(100).default(4),
  /** Milliseconds without a heartbeat after which another process gets the job. */
  JOBS_LEASE_MS: z.coerce.number().int().min(500).default(15_000),
  /** Search path for bwrap. */
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  /** Minutes without a message after which a conversation ends; the worker has the same setting. */
  THREAD_IDLE_MINUTES: z.coerce.number().positive().default(30),
  /** Database connections of this process. */
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(8),
});

const SandboxConfig = z.object({
  /** Path of bubblewrap, which confines commands. Not set: bwrap on PATH. */
  BWRAP_PATH: z.string().optional(),
  /** Folders of libraries for bubblewrap that are not installed, separated by colons. */
  BWRAP_LIBRARY_PATH: z.string().optional(),
});

/** The database deletes nothing that is younger than a week. */
const RetentionDays = z.coerce
  .number()
  .int()
  .max(36_500)
  .refine((days) => days === 0 || days >= 7, 'is 0 (for ever), or at least 7 days');

const MaintenanceConfig = z.object({
  ...TracingConfig.shape,
  /** Folder of markdown files for the search over the documentation. The folder's name is part of each source. */
  DOCS_DIR: z.string().default(`${REPOSITORY}docs`),
  /** One more markdown file for the search. */
  README_FILE: z.string().default(`${REPOSITORY}README.md`),
  /** Folder outside the database for the file of signed audit checkpoints. See docs/audit.md. */
  AUDIT_CHECKPOINT_DIR: z.string().default(`${REPOSITORY}.signalbox/audit`),
  /** Ed25519 key that signs audit checkpoints, in PEM; created when missing. Default: signing-key.pem in AUDIT_CHECKPOINT_DIR. */
  AUDIT_KEY_FILE: z.string().optional(),
  /** Number of events after which an audit checkpoint is due. */
  AUDIT_CHECKPOINT_EVENTS: z.coerce.number().int().min(1).max(100_000).default(1_000),
  /** Milliseconds after the first event without an audit checkpoint when a checkpoint is due. */
  AUDIT_CHECKPOINT_MS: z.coerce.number().int().min(0).default(10_000),
  /** Chat that gets an audit checkpoint once an hour, as `telegram:<id>`. Default: none. */
  AUDIT_CHAT: z.string().optional(),
  /** Days after which an ended conversation, with its record, and the text of messages are deleted; 0: never. */
  RETENTION_DAYS: RetentionDays.default(180),
  /** Days after which the checkpoints of an ended conversation are deleted; 0: never. */
  RETENTION_CHECKPOINT_DAYS: RetentionDays.default(14),
  /** Days after which ended runs of jobs, closed incidents and the output of deployments are deleted; 0: never. */
  RETENTION_WORK_DAYS: RetentionDays.default(90),
});

/** Limits of the sandbox in which commands of people and checks of changes run. */
const CommandsConfig = SandboxConfig.extend({
  /** Size of each of /tmp, /dev/shm and the home folder of a command, in megabytes of memory. */
  SANDBOX_TMP_MB: z.coerce.number().min(1).max(1_024).default(64),
});

const AgentsConfig = CommandsConfig.extend({
  ...TracingWithoutKeysConfig.shape,
  /** Folder of the workspaces, in which agents and people run commands and change files. Nothing else may be in it. */
  WORKSPACE_DIR: z.string().default(`${REPOSITORY}.signalbox/workspaces`),
  /** Days without use after which a workspace is deleted. */
  WORKSPACE_IDLE_DAYS: z.coerce.number().min(1).max(36_500).default(30),
  /** Maximum size of a workspace, in megabytes. */
  WORKSPACE_LIMIT_MB: z.coerce.number().min(1).max(1_000_000).default(1_024),
  /** Space that stays free on the file system of the workspaces, in megabytes. */
  WORKSPACE_RESERVE_MB: z.coerce.number().min(0).max(100_000_000).default(500),
});

const ForgesConfig = z.object({
  /**
   * Folder with `known_hosts` for ssh and `ca.pem`, the certificate authority of private repository hosts. Default: the trust of the
   * machine.
   */
  REPOSITORY_TRUST_DIR: z
    .string()
    .default('')
    .transform((folder) => folder || null),
  /** Forges of one's own, such as `gitlab https://git.corp, gitea https://code.corp`; a third word is the address of the API. */
  FORGES: z
    .string()
    .default('')
    .transform((text, context) => {
      const { forges, problem } = parseForges(text);
      if (problem !== null)
        context.addIssue(`has “${problem}”, which is not github, gitlab, gitea or none and an https address`);
      return forges;
    }),
});

const AnalysisConfig = CommandsConfig.extend({
  ...ForgesConfig.shape,
  ...TracingWithoutKeysConfig.shape,
  ...ModelConfig.shape,
  ...EmbeddingsConfig.shape,
  /** Folder of the work trees in which code is changed. Nothing else may be in it. */
  ENGINEERING_DIR: z.string().default(`${REPOSITORY}.signalbox/engineering`),
  /** Hosts from which dependencies are fetched before a changed project is built and tested, separated by commas. */
  ENGINEERING_REGISTRIES: z
    .string()
    .default(
      'registry.npmjs.org,registry.yarnpkg.com,pypi.org,files.pythonhosted.org,proxy.golang.org,sum.golang.org,index.crates.io,static.crates.io,crates.io,rubygems.org,repo.packagist.org',
    )
    .transform((names) => names.split(',').flatMap((name) => name.trim().toLowerCase() || [])),
  /**
   * Protected paths that changes may touch all the same, separated by commas, such as `.github/,CODEOWNERS`: see docs/engineering.md.
   * Default: none.
   */
  ENGINEERING_OPEN_PATHS: z
    .string()
    .default('')
    .transform((paths) => paths.split(',').flatMap((path) => path.trim() || [])),
  /** HTTP proxy through which this machine reaches the internet. Default: none. */
  HTTPS_PROXY: z.string().default(''),
  /** `on` confines builds, programs and scans by bubblewrap. `off` is for a developer's machine: programs may then read its keys. */
  PROCESS_CONFINEMENT: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('on'),
  /** Folder of OSV records in JSON files, to find known vulnerabilities of dependencies. Default: none. */
  OSV_DIR: z.string().default(''),
  /** Server with the API of api.osv.dev to find known vulnerabilities; it sees names and versions of dependencies. Default: none. */
  OSV_URL: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
});

/** How gates of deployments at forges are answered: see docs/gates.md. */
const GatesConfig = z.object({
  /** Address of the API of GitHub, or of an Enterprise server such as https://git.corp/api/v3. The gateway has the same setting. */
  GITHUB_API: ForgeAddress.default('https://api.github.com'),
  /** Id of the GitHub App that answers deployment protection rules. Default: none. */
  GITHUB_APP_ID: z.string().default(''),
  /** Private key of that App, in PEM. Secret. */
  GITHUB_APP_KEY: z.string().default('').meta({ secret: true }),
  /** Address of the API of GitLab, such as https://git.corp/api/v4. */
  GITLAB_API: ForgeAddress.default('https://gitlab.com/api/v4'),
  /** Token of an account that may approve deployments to protected environments of GitLab. Default: none. Secret. */
  GITLAB_APPROVER_TOKEN: z.string().default('').meta({ secret: true }),
});

const DeployConfig = SandboxConfig.extend({
  ...GatesConfig.shape,
  ...ForgesConfig.shape,
  ...SecretsConfig.shape,
  ...TracingConfig.shape,
  PROCESS_CONFINEMENT: AnalysisConfig.shape.PROCESS_CONFINEMENT,
  /** Switch for traffic: Signalbox's own proxy, or an existing HAProxy. */
  TRAFFIC: z.enum(['proxy', 'haproxy'], { error: 'is neither proxy nor haproxy' }).default('proxy'),
  /** Unix socket of the proxy; the proxy has the same setting. */
  PROXY_SOCKET: z.string().default(`${REPOSITORY}.signalbox/proxy/admin.sock`),
  /** Runtime socket of HAProxy, with `level admin`. Required with TRAFFIC=haproxy. */
  HAPROXY_SOCKET: z.string().optional(),
  /** Folder for the last routes set in HAProxy, which stores no epochs. */
  HAPROXY_STATE_DIR: z.string().default(`${REPOSITORY}.signalbox/haproxy`),
  /** Folder of programs that run as processes of this machine: artifacts, logs, and process ids. */
  TARGETS_DIR: z.string().default(`${REPOSITORY}.signalbox/targets`),
  /** Base image for repositories without a Dockerfile. */
  BASE_IMAGE: z.string().min(1).default('node:26-bookworm-slim'),
  /** Folder of the mirrors and checkouts of repositories that are deployed. */
  DEPLOY_DIR: z.string().default(`${REPOSITORY}.signalbox/deploys`),
  /** Folders below which repositories may be addressed by path, separated by colons. */
  REPOSITORIES_DIR: z
    .string()
    .default(`${REPOSITORY}.signalbox/repositories`)
    .transform((folders) => folders.split(delimiter).filter((folder) => folder !== '')),
  /** Repository hosts that may have private addresses, separated by commas, such as git.corp. Default: none. */
  REPOSITORY_PRIVATE_HOSTS: z
    .string()
    .default('')
    .transform((names) => names.split(',').flatMap((name) => name.trim().toLowerCase() || [])),
  /** Maximum duration of a build, in minutes. */
  DEPLOY_BUILD_MINUTES: z.coerce.number().positive().max(25).default(20),
  /** Minutes without output or processor time after which a build is stopped. */
  DEPLOY_STALL_MINUTES: z.coerce.number().positive().max(25).default(5),
  /** Minutes of retries for an unreachable server before its deployment is reported as unknown. */
  DEPLOY_UNKNOWN_MINUTES: z.coerce.number().positive().max(20).default(10),
  /** Minutes without an answer after which the next person is told of an incident that no rota covers. A rota says its own. */
  INCIDENT_ESCALATION_MINUTES: z.coerce.number().int().min(1).max(1_440).default(15),
  /** Address on which the proxy opens the port of each service, such as 0.0.0.0 in a container. */
  PROXY_LISTEN_HOST: z.string().min(1).default('127.0.0.1'),
  /** Host in addresses shown to people. */
  PROXY_PUBLIC_HOST: z.string().min(1).default('127.0.0.1'),
});

/** Additional variables by pool; `npm start` gives each process no others. */
const POOLS = {
  maintenance: MaintenanceConfig,
  agents: AgentsConfig,
  deploy: DeployConfig,
  analysis: AnalysisConfig,
} as const;

const JobsConfig = PoolConfig.extend({
  ...MaintenanceConfig.shape,
  ...AgentsConfig.shape,
  ...AnalysisConfig.shape,
  ...DeployConfig.shape,
});

/** Lists the variables that a process of one pool reads. */
export function listPoolVariables(pool: JobPool): readonly string[] {
  return listVariables({ ...PoolConfig.shape, ...POOLS[pool].shape });
}

const CheckedConfig = JobsConfig.refine(({ TRAFFIC, HAPROXY_SOCKET }) => TRAFFIC === 'proxy' || HAPROXY_SOCKET, {
  path: ['HAPROXY_SOCKET'],
  error: 'is needed with TRAFFIC=haproxy: the path of its runtime socket',
});

export type JobsConfig = z.infer<typeof JobsConfig> & { readonly idleMs: number };

/** Reads the job service's configuration. Throws CONFIG_INVALID with every problem. */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): JobsConfig {
  const config = readConfig(CheckedConfig, environment);
  return { ...config, idleMs: config.THREAD_IDLE_MINUTES * MINUTE_MS };
}
