import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommonConfig, readConfig, SecretsConfig } from '@signalbox/platform/config';
import { TracingConfig, TracingWithoutKeysConfig } from '@signalbox/platform/tracing/settings';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { z } from 'zod';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** What the processes of every pool read. */
const PoolConfig = CommonConfig.extend({
  /** The pools whose jobs this process runs, separated by commas. */
  JOBS_POOLS: z
    .string()
    .default(JobPool.options.join(','))
    .transform((names) => names.split(',').map((name) => name.trim()))
    .pipe(z.array(JobPool).min(1))
    .transform((pools) => [...new Set(pools)]),
  /** How many jobs of each pool run at once in this process. */
  JOBS_CONCURRENCY: z.coerce.number().int().min(1).max(100).default(4),
  /** A job whose process gave no sign for this long is given to another, in milliseconds. */
  JOBS_LEASE_MS: z.coerce.number().int().min(500).default(15_000),
  /** Where bwrap is looked for. */
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  /** After this many silent minutes a conversation ends; the worker has the same setting. */
  THREAD_IDLE_MINUTES: z.coerce.number().positive().default(30),
  /** Database connections of this process. */
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(8),
});

const SandboxConfig = z.object({
  /** The program bubblewrap, which locks commands in. Not set: bwrap on PATH. */
  BWRAP_PATH: z.string().optional(),
  /** Where libraries of that program are which are not installed; folders separated by colons. */
  BWRAP_LIBRARY_PATH: z.string().optional(),
});

const MaintenanceConfig = z.object({
  ...TracingConfig.shape,
  /** Folder whose markdown files can be searched. Its name is part of the source that a search shows. */
  DOCS_DIR: z.string().default(`${REPOSITORY}docs`),
  /** A further markdown file that can be searched. */
  README_FILE: z.string().default(`${REPOSITORY}README.md`),
  /** Folder of the file with signed audit checkpoints, outside of the database. See docs/audit.md. */
  AUDIT_CHECKPOINT_DIR: z.string().default(`${REPOSITORY}.signalbox/audit`),
  /** The Ed25519 key that signs checkpoints, in PEM; it is made when it is not there. Default: signing-key.pem in that folder. */
  AUDIT_KEY_FILE: z.string().optional(),
  /** So many events without a checkpoint make one due. */
  AUDIT_CHECKPOINT_EVENTS: z.coerce.number().int().min(1).max(100_000).default(1_000),
  /** So long after the first event without a checkpoint one is due, in milliseconds. */
  AUDIT_CHECKPOINT_MS: z.coerce.number().int().min(0).default(10_000),
  /** Chat that gets a checkpoint once an hour, as `telegram:<id>`. Default: none. */
  AUDIT_CHAT: z.string().optional(),
});

const AgentsConfig = SandboxConfig.extend({
  ...TracingWithoutKeysConfig.shape,
  /** Folder of the workspaces, in which agents and people run commands and change files. Nothing else may be in it. */
  WORKSPACE_DIR: z.string().default(`${REPOSITORY}.signalbox/workspaces`),
  /** After this many days without use a workspace is removed with all its files. */
  WORKSPACE_IDLE_DAYS: z.coerce.number().min(1).max(36_500).default(30),
  /** Largest total of a workspace, in megabytes. */
  WORKSPACE_LIMIT_MB: z.coerce.number().min(1).max(1_000_000).default(1_024),
  /** So much stays free on the file system of the workspaces, in megabytes. */
  WORKSPACE_RESERVE_MB: z.coerce.number().min(0).max(100_000_000).default(500),
  /** Room in each of /tmp, /dev/shm and the home folder of a command, in megabytes of memory. */
  SANDBOX_TMP_MB: z.coerce.number().min(1).max(1_024).default(64),
});

const AnalysisConfig = SandboxConfig.extend({
  ...TracingWithoutKeysConfig.shape,
  /** Whether builds, programs and scans on this machine are confined by bubblewrap. `off` is for one's own machine: they may read its keys. */
  PROCESS_CONFINEMENT: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('on'),
  /** Folder of OSV records in JSON files, by which dependencies with known weaknesses are found. Default: none. */
  OSV_DIR: z.string().default(''),
  /** A server with the interface of api.osv.dev for the same: it learns names and versions of dependencies. Default: none. */
  OSV_URL: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
});

const DeployConfig = SandboxConfig.extend({
  ...SecretsConfig.shape,
  ...TracingConfig.shape,
  PROCESS_CONFINEMENT: AnalysisConfig.shape.PROCESS_CONFINEMENT,
  /** What decides which instance of a service serves: our own proxy, or a HAProxy that is there. */
  TRAFFIC: z.enum(['proxy', 'haproxy'], { error: 'is neither proxy nor haproxy' }).default('proxy'),
  /** The unix socket of our proxy; the proxy has the same setting. */
  PROXY_SOCKET: z.string().default(`${REPOSITORY}.signalbox/proxy/admin.sock`),
  /** The runtime socket of HAProxy, with `level admin`. Needed with TRAFFIC=haproxy. */
  HAPROXY_SOCKET: z.string().optional(),
  /** Folder of what HAProxy was asked for last: it knows no fences itself. */
  HAPROXY_STATE_DIR: z.string().default(`${REPOSITORY}.signalbox/haproxy`),
  /** Folder of what runs as processes of this machine: artifacts, logs, and by what a process is found again. */
  TARGETS_DIR: z.string().default(`${REPOSITORY}.signalbox/targets`),
  /** What images are built on for repositories without a Dockerfile. */
  BASE_IMAGE: z.string().min(1).default('node:20-bookworm-slim'),
  /** Folder of the mirrors and checkouts of repositories that are deployed. */
  DEPLOY_DIR: z.string().default(`${REPOSITORY}.signalbox/deploys`),
  /** Folders below which repositories may be named by their path, with colons between them. */
  REPOSITORIES_DIR: z
    .string()
    .default(`${REPOSITORY}.signalbox/repositories`)
    .transform((folders) => folders.split(delimiter).filter((folder) => folder !== '')),
  /** Hosts of repositories that may be at private addresses, with commas between them, such as git.corp. Default: none. */
  REPOSITORY_PRIVATE_HOSTS: z
    .string()
    .default('')
    .transform((names) => names.split(',').flatMap((name) => name.trim().toLowerCase() || [])),
  /**
   * Folder with what hosts of repositories are known by: `known_hosts`, of ssh, and `ca.pem`, the authority that those at private
   * addresses have their certificates from. Default: what the machine trusts.
   */
  REPOSITORY_TRUST_DIR: z
    .string()
    .default('')
    .transform((folder) => folder || null),
  /** How long a build may take, in minutes. */
  DEPLOY_BUILD_MINUTES: z.coerce.number().positive().max(25).default(20),
  /** A build that writes nothing and uses no processor for so many minutes is ended. */
  DEPLOY_STALL_MINUTES: z.coerce.number().positive().max(25).default(5),
  /** So many minutes a server that does not answer is tried again before its deployment is reported as unknown. */
  DEPLOY_UNKNOWN_MINUTES: z.coerce.number().positive().max(20).default(10),
  /**
   * Address that the proxy is told to bind the port of each service to, such as 0.0.0.0 in a container. This service reaches the ports
   * there as well.
   */
  PROXY_LISTEN_HOST: z.string().min(1).default('127.0.0.1'),
  /** The host in the addresses that people read. */
  PROXY_PUBLIC_HOST: z.string().min(1).default('127.0.0.1'),
});

/** What a process reads besides for a pool that it runs; `npm start` gives each no other variables. */
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

/** The variables that a process of one pool reads. */
export function variablesOfPool(pool: JobPool): readonly string[] {
  return Object.keys({ ...PoolConfig.shape, ...POOLS[pool].shape });
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
