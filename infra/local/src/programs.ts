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

/** The services in the order of starting. With several workers they are named worker-1, worker-2 and so on. */
export async function describeServices(
  config: LocalConfig,
  urls: { readonly databaseUrl: string; readonly redisUrl: string; readonly simulatorUrl: string | null },
  bubblewrap: BubblewrapSettings,
): Promise<readonly ProgramSpec[]> {
  const workers = Array.from({ length: config.SIGNALBOX_WORKERS }, (_, index) =>
    config.SIGNALBOX_WORKERS === 1 ? 'worker' : `worker-${index + 1}`,
  );
  const shared = {
    ...environmentWithoutSecrets(),
    SIGNALBOX_DATA_DIR: config.SIGNALBOX_DATA_DIR,
    DATABASE_URL: urls.databaseUrl,
    REDIS_URL: urls.redisUrl,
  };
  // Only the gateway speaks to Telegram, so only the gateway gets the token and the webhook's secret.
  const { TELEGRAM_WEBHOOK_SECRET } = inheritedEnvironment();
  const secrets = secretsEnvironment(config);
  const gateway = {
    ...shared,
    ...secrets,
    TELEGRAM_WEBHOOK_SECRET,
    ...telegramEnvironment(config, urls.simulatorUrl),
  };
  const jobs = {
    WORKSPACE_DIR: join(config.SIGNALBOX_DATA_DIR, 'workspaces'),
    AUDIT_CHECKPOINT_DIR: join(config.SIGNALBOX_DATA_DIR, 'audit'),
    ...shared,
    ...secrets,
    ...bubblewrap,
  };
  const worker = { ...shared, DEMO_REPOSITORY: demoRepositoryPath(config.SIGNALBOX_DATA_DIR) };
  const programs = { gateway, jobs, worker };
  const specs: ProgramSpec[] = [];
  for (const name of ['gateway', ...workers, 'jobs']) {
    const port = await findFreePort();
    const main = join(checkoutPath(), 'services', name.replace(/-\d+$/, ''), 'src/main.ts');
    const own = name === 'gateway' || name === 'jobs' ? programs[name] : programs.worker;
    const env = { ...own, PROBE_PORT: String(port) };
    specs.push(describeProgram(name, main, `http://127.0.0.1:${port}/readyz`, env, config));
  }
  return specs;
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

function environmentWithoutSecrets(): Record<string, string | undefined> {
  const {
    TELEGRAM_BOT_TOKEN: _token,
    TELEGRAM_WEBHOOK_SECRET: _secret,
    SECRETS_KEY: _key,
    SECRETS_KEY_FILE: _file,
    ...rest
  } = inheritedEnvironment();
  return rest;
}
