import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BubblewrapSettings } from './bubblewrap-program.ts';
import { checkoutPath } from './checkout.ts';
import { inheritedEnvironment, type LocalConfig } from './config.ts';
import { findFreePort, findFreePortFrom } from './free-port.ts';
import type { ProgramSpec } from './supervisor.ts';

/** The token by which the gateway speaks to the simulator; it opens nothing anywhere else. */
const SIMULATOR_TOKEN = '100:simulator';

/** The simulator as a program, and where its page is. */
export async function describeSimulator(
  config: LocalConfig,
): Promise<{ readonly spec: ProgramSpec; readonly url: string }> {
  const port = await findFreePortFrom(config.SIMULATOR_PORT);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...environmentWithoutSecrets(),
    SIMULATOR_PORT: String(port),
    SIMULATOR_DATA_DIR: join(config.SIGNALBOX_DATA_DIR, 'simulator'),
  };
  const main = join(checkoutPath(), 'infra/telegram-simulator/src/main.ts');
  return { spec: describeProgram('simulator', main, `${url}/healthz`, env, config), url };
}

/**
 * The services in the order of starting. With several workers they are named worker-1, worker-2 and so on; each pool of jobs is a
 * process of its own, with the secrets that its jobs need and no others.
 */
export async function describeServices(
  config: LocalConfig,
  urls: { readonly databaseUrl: string; readonly redisUrl: string; readonly simulatorUrl: string | null },
  bubblewrap: BubblewrapSettings,
): Promise<readonly ProgramSpec[]> {
  const dataDir = config.SIGNALBOX_DATA_DIR;
  const inherited = inheritedEnvironment();
  const plain = environmentWithoutSecrets();
  const shared = { ...plain, SIGNALBOX_DATA_DIR: dataDir, DATABASE_URL: urls.databaseUrl, REDIS_URL: urls.redisUrl };
  const secrets = secretsEnvironment(config);
  const traffic = { PROXY_SOCKET: inherited['PROXY_SOCKET'] || socketPath(join(dataDir, 'proxy')) };
  // Only the gateway speaks to Telegram, so only the gateway gets the token and the webhook's secret.
  const { TELEGRAM_WEBHOOK_SECRET } = inherited;
  const telegram = { TELEGRAM_WEBHOOK_SECRET, ...telegramEnvironment(config, urls.simulatorUrl) };
  const worker = { ...shared, ...modelKeys(), DEMO_REPOSITORY: demoRepositoryPath(dataDir) };
  const workers = Array.from({ length: config.SIGNALBOX_WORKERS }, (_, index): Program => ({
    name: config.SIGNALBOX_WORKERS === 1 ? 'worker' : `worker-${index + 1}`,
    service: 'worker',
    env: worker,
  }));
  const audit = { AUDIT_KEY_FILE: inherited['AUDIT_KEY_FILE'], AUDIT_CHECKPOINT_DIR: join(dataDir, 'audit') };
  const programs: readonly Program[] = [
    // First up and last down: services that were deployed are reached whatever else goes on.
    {
      name: 'proxy',
      service: 'proxy',
      env: { ...plain, PROXY_DIR: join(dataDir, 'proxy'), ...traffic },
      isUrgent: true,
    },
    { name: 'gateway', service: 'gateway', env: { ...shared, ...secrets, ...telegram } },
    ...workers,
    // Signs the audit history, and nobody else does.
    { name: 'jobs-maintenance', service: 'jobs', env: { ...audit, ...shared, JOBS_POOLS: 'maintenance' } },
    // Runs what agents ask for, so it holds no key at all.
    {
      name: 'jobs-agents',
      service: 'jobs',
      env: { WORKSPACE_DIR: join(dataDir, 'workspaces'), ...shared, ...bubblewrap, JOBS_POOLS: 'agents' },
    },
    // Reaches servers: it opens the secrets that services and servers need.
    {
      name: 'jobs-deploy',
      service: 'jobs',
      env: { ...deployFolders(dataDir), ...shared, ...secrets, ...traffic, JOBS_POOLS: 'deploy' },
    },
  ];
  const specs: ProgramSpec[] = [];
  for (const { name, service, env, isUrgent } of programs) {
    const port = await findFreePort();
    const main = join(checkoutPath(), 'services', service, 'src/main.ts');
    const readyUrl = `http://127.0.0.1:${port}/readyz`;
    const spec = describeProgram(name, main, readyUrl, { ...env, PROBE_PORT: String(port) }, config);
    specs.push(isUrgent ? { ...spec, firstBackoffMs: URGENT_BACKOFF_MS } : spec);
  }
  return specs;
}

interface Program {
  readonly name: string;
  readonly service: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** People notice at once when it is away. */
  readonly isUrgent?: true;
}

/** Long enough for the kernel to give its sockets back. */
const URGENT_BACKOFF_MS = 20;

/** The admin socket in this folder, or one with a shorter path: kernels take no more than 107 bytes. */
function socketPath(folder: string): string {
  const usual = join(folder, 'admin.sock');
  if (Buffer.byteLength(usual) <= 107) return usual;
  return join(tmpdir(), `signalbox-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`);
}

/** Where what is deployed lies; repositories may be folders of the data folder, as the demo's is. */
function deployFolders(dataDir: string): Record<string, string> {
  return { TARGETS_DIR: join(dataDir, 'targets'), DEPLOY_DIR: join(dataDir, 'deploys'), REPOSITORIES_DIR: dataDir };
}

/** Where the repository of the demo project is. */
export function demoRepositoryPath(dataDir: string): string {
  return join(dataDir, 'demo.git');
}

function telegramEnvironment(config: LocalConfig, simulatorUrl: string | null): Record<string, string | undefined> {
  if (simulatorUrl === null) return { TELEGRAM_BOT_TOKEN: config.TELEGRAM_BOT_TOKEN };
  return {
    TELEGRAM_BOT_TOKEN: SIMULATOR_TOKEN,
    TELEGRAM_API_ROOT: simulatorUrl,
    // Telegram's own limits would only slow down a machine that talks to itself.
    TELEGRAM_SENDS_PER_SECOND: '1000',
    TELEGRAM_CHAT_SENDS_PER_SECOND: '50',
  };
}

function describeProgram(
  name: string,
  main: string,
  readyUrl: string,
  env: Readonly<Record<string, string | undefined>>,
  config: LocalConfig,
): ProgramSpec {
  const words = ['--conditions=source', '--import', 'tsx', main];
  return { name, words, main, env, readyUrl, logFile: join(config.SIGNALBOX_DATA_DIR, 'logs', `${name}.log`) };
}

/** Who seals people's secrets and who opens them have the same key; the model's process has none. */
function secretsEnvironment(config: LocalConfig): Record<string, string | undefined> {
  const { SECRETS_KEY, SECRETS_KEY_FILE } = inheritedEnvironment();
  return { SECRETS_KEY, SECRETS_KEY_FILE: SECRETS_KEY_FILE || join(config.SIGNALBOX_DATA_DIR, 'secrets.key') };
}

/** What some services need and the others must not have. */
const SECRETS = new Set([
  'TELEGRAM_BOT_TOKEN',
  'TELEGRAM_WEBHOOK_SECRET',
  'SECRETS_KEY',
  'SECRETS_KEY_FILE',
  'AUDIT_KEY_FILE',
  'PROXY_SOCKET',
]);
/** Keys of model providers, such as OPENAI_API_KEY. */
const MODEL_KEY = /_API_KEY$/;

function environmentWithoutSecrets(): Record<string, string | undefined> {
  const all = Object.entries(inheritedEnvironment());
  return Object.fromEntries(all.filter(([name]) => !SECRETS.has(name) && !MODEL_KEY.test(name)));
}

/** Only workers speak to models. */
function modelKeys(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(inheritedEnvironment()).filter(([name]) => MODEL_KEY.test(name)));
}
