import { CommonConfig, SecretsConfig } from '@signalbox/platform/config';
import { ModelConfig } from '@signalbox/models/settings';
import { PolicyConfig } from '@signalbox/safety/policy/settings';

/*
 * Which variables of the environment of `npm start` reach which service. A variable that is named nowhere reaches none, so a new
 * secret stays out of every service until this list names it. A test compares the lists with what the services read.
 */

/** What any program may need of its machine. Nothing of it is a secret, and nothing of it loads code. */
const MACHINE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];
/** How the world outside is reached. A proxy's address may hold a password, so only those get it who speak to the world. */
const OUTSIDE = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'SSL_CERT_FILE'];
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS'];
const COMMON = [...Object.keys(CommonConfig.shape), 'DATABASE_CONNECTIONS'];
const SECRETS = Object.keys(SecretsConfig.shape);
const POLICY = Object.keys(PolicyConfig.shape);
const QUEUE = ['JOBS_POOLS', 'JOBS_CONCURRENCY', 'JOBS_LEASE_MS', 'JOBS_SWEEP_MS', 'THREAD_IDLE_MINUTES'];
const SANDBOX = ['BWRAP_PATH', 'BWRAP_LIBRARY_PATH'];

/** The programs of a local run that differ in what they may know. */
export type LocalService = 'simulator' | 'proxy' | 'gateway' | 'worker' | 'maintenance' | 'agents' | 'deploy';

export const SERVICE_VARIABLES: Readonly<Record<LocalService, readonly string[]>> = {
  simulator: [...MACHINE, 'SIMULATOR_PORT', 'SIMULATOR_DATA_DIR', 'SIMULATOR_TOKEN'],
  proxy: [
    ...MACHINE,
    'PROBE_HOST',
    'PROBE_PORT',
    'LOG_LEVEL',
    'PROXY_DIR',
    'PROXY_SOCKET',
    'PROXY_CONNECT_MS',
    'PROXY_SILENCE_MS',
    'PROXY_DRAIN_MS',
    'PROXY_TRUST_FORWARDED',
  ],
  gateway: [
    ...MACHINE,
    ...OUTSIDE,
    ...CERTIFICATES,
    ...COMMON,
    ...POLICY,
    'SECRETS_SEALING_KEY',
    'TELEGRAM_BOT_TOKEN',
    'TELEGRAM_API_ROOT',
    'TELEGRAM_WEBHOOK_URL',
    'TELEGRAM_WEBHOOK_SECRET',
    'TELEGRAM_WEBHOOK_HOST',
    'TELEGRAM_WEBHOOK_PORT',
    'TELEGRAM_SENDS_PER_SECOND',
    'TELEGRAM_CHAT_SENDS_PER_SECOND',
    'TELEGRAM_CHAT_BURST',
    'TELEGRAM_GROUP_SENDS_PER_MINUTE',
    'TELEGRAM_DRAFT_INTERVAL_MS',
    'TELEGRAM_RICH_MESSAGES',
    'INBOUND_BURST',
    'DELIVERY_CHATS',
    'GATEWAY_NAME',
  ],
  worker: [
    ...MACHINE,
    ...OUTSIDE,
    ...CERTIFICATES,
    ...COMMON,
    ...POLICY,
    ...Object.keys(ModelConfig.shape),
    'WORKER_NAME',
    'WORKER_SLOTS',
    'MAX_PASSES',
    'CHECKPOINTS',
    'THREAD_IDLE_MINUTES',
    'LANE_LEASE_MS',
    'BUDGET_CALLS_PER_HOUR',
    'BUDGET_TOKENS_PER_DAY',
    'BUDGET_USD_PER_DAY',
    'DEMO_REPOSITORY',
  ],
  maintenance: [
    ...MACHINE,
    ...COMMON,
    ...QUEUE,
    'DOCS_DIR',
    'README_FILE',
    'AUDIT_CHECKPOINT_DIR',
    'AUDIT_KEY_FILE',
    'AUDIT_CHECKPOINT_EVENTS',
    'AUDIT_CHECKPOINT_MS',
    'AUDIT_CHAT',
  ],
  agents: [
    ...MACHINE,
    ...COMMON,
    ...QUEUE,
    ...SANDBOX,
    'WORKSPACE_DIR',
    'WORKSPACE_IDLE_DAYS',
    'WORKSPACE_LIMIT_MB',
    'WORKSPACE_RESERVE_MB',
    'SANDBOX_TMP_MB',
  ],
  deploy: [
    ...MACHINE,
    ...OUTSIDE,
    ...CERTIFICATES,
    ...COMMON,
    ...SECRETS,
    ...QUEUE,
    ...SANDBOX,
    'TRAFFIC',
    'PROXY_SOCKET',
    'HAPROXY_SOCKET',
    'HAPROXY_STATE_DIR',
    'PROCESS_CONFINEMENT',
    'TARGETS_DIR',
    'BASE_IMAGE',
    'DEPLOY_DIR',
    'REPOSITORIES_DIR',
    'REPOSITORY_PRIVATE_HOSTS',
    'REPOSITORY_TRUST_DIR',
    'DEPLOY_BUILD_MINUTES',
    'DEPLOY_STALL_MINUTES',
    'DEPLOY_UNKNOWN_MINUTES',
    'PROXY_LISTEN_HOST',
    'PROXY_REACH_HOST',
    'PROXY_PUBLIC_HOST',
  ],
};

/** Of the variables given, those that a service may have; later ones win, unless they are empty. */
export function environmentOf(
  service: LocalService,
  ...given: readonly Readonly<Record<string, string | undefined>>[]
): Readonly<Record<string, string | undefined>> {
  const valueOf = (name: string): string | undefined => given.findLast((variables) => variables[name])?.[name];
  return Object.fromEntries(SERVICE_VARIABLES[service].map((name) => [name, valueOf(name)]));
}
