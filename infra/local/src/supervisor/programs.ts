import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { RedisService } from '@signalbox/platform/redis-users';
import type { BubblewrapSettings } from '../setup/bubblewrap-program.ts';
import { programWords } from '../setup/checkout.ts';
import { inheritedEnvironment, type LocalConfig } from '../config.ts';
import { loadSecretsKey } from '@signalbox/safety/secrets/key';
import { deriveSealingKey } from '@signalbox/safety/secrets/key-pair';
import { findFreePort, findFreePortFrom } from '../setup/free-port.ts';
import type { KeyFiles } from '../setup/key-files.ts';
import type { ServiceLogin } from './service-logins.ts';
import { environmentOf } from './service-variables.ts';
import type { ProgramSpec } from './supervisor.ts';

/** The token by which the gateway speaks to the simulator; it opens nothing anywhere else. */
const SIMULATOR_TOKEN = '100:simulator';

/** The simulator as a program, and where its page is. */
export async function describeSimulator(
  config: LocalConfig,
): Promise<{ readonly spec: ProgramSpec; readonly url: string }> {
  const port = await findFreePortFrom(config.SIMULATOR_PORT);
  const url = `http://127.0.0.1:${port}`;
  const env = environmentOf('simulator', inheritedEnvironment(), {
    SIMULATOR_PORT: String(port),
    SIMULATOR_DATA_DIR: join(config.SIGNALBOX_DATA_DIR, 'simulator'),
    SIMULATOR_TOKEN,
  });
  const source = 'infra/telegram-simulator/src/main.ts';
  return { spec: describeProgram({ name: 'simulator', source, readyUrl: `${url}/healthz`, env }, config), url };
}

/**
 * The services in the order of starting. With several workers they are named worker-1, worker-2 and so on; each pool of jobs is a
 * process of its own. Each has its own logins, and of the environment what service-variables.ts names.
 */
export async function describeServices(
  config: LocalConfig,
  parts: {
    readonly loginOf: (service: RedisService) => ServiceLogin;
    readonly keys: KeyFiles;
    readonly simulatorUrl: string | null;
  },
  bubblewrap: BubblewrapSettings,
): Promise<readonly ProgramSpec[]> {
  const dataDir = config.SIGNALBOX_DATA_DIR;
  const inherited = inheritedEnvironment();
  const pagePort = await findFreePortFrom(config.GATEWAY_HTTP_PORT);
  const traffic = {
    PROXY_DIR: join(dataDir, 'proxy'),
    PROXY_SOCKET: inherited['PROXY_SOCKET'] || socketPath(join(dataDir, 'proxy')),
  };
  const workers = Array.from({ length: config.SIGNALBOX_WORKERS }, (_, index): Program => {
    const demo = { DEMO_REPOSITORY: demoRepositoryPath(dataDir) };
    if (config.SIGNALBOX_WORKERS === 1) return { name: 'worker', service: 'worker', given: demo };
    // Their default is the name of the host, which all of them share.
    const name = `worker-${index + 1}`;
    return { name, service: 'worker', given: { ...demo, WORKER_NAME: name } };
  });
  const programs: readonly Program[] = [
    // First up and last down: services that were deployed are reached whatever else goes on.
    { name: 'proxy', service: 'proxy', given: traffic, isUrgent: true },
    {
      name: 'gateway',
      service: 'gateway',
      defaults: {
        GATEWAY_CHANNELS: 'telegram,web',
        // Whoever reaches the simulator can be anybody as well.
        WEB_DEMO_PEOPLE: parts.simulatorUrl === null ? 'off' : 'on',
      },
      given: {
        GATEWAY_HTTP_PORT: String(pagePort),
        ...telegramEnvironment(config, parts.simulatorUrl),
        SECRETS_SEALING_KEY: sealingKey(parts.keys),
      },
    },
    ...workers,
    {
      name: 'jobs-maintenance',
      service: 'maintenance',
      defaults: { AUDIT_CHECKPOINT_DIR: join(dataDir, 'audit'), AUDIT_KEY_FILE: parts.keys.audit },
    },
    {
      name: 'jobs-agents',
      service: 'agents',
      defaults: { WORKSPACE_DIR: join(dataDir, 'workspaces') },
      given: bubblewrap,
    },
    {
      name: 'jobs-deploy',
      service: 'deploy',
      defaults: {
        SECRETS_KEY_FILE: parts.keys.secrets,
        TARGETS_DIR: join(dataDir, 'targets'),
        DEPLOY_DIR: join(dataDir, 'deploys'),
      },
      given: { ...traffic, ...bubblewrap, ...repositoryFolders(dataDir, inherited) },
    },
  ];
  const specs: ProgramSpec[] = [];
  for (const { name, service, defaults = {}, given = {}, isUrgent } of programs) {
    const port = await findFreePort();
    const isPool = service === 'maintenance' || service === 'agents' || service === 'deploy';
    const login = service === 'proxy' ? {} : parts.loginOf(service);
    const env = environmentOf(service, defaults, inherited, given, login, {
      PROBE_PORT: String(port),
      ...(isPool ? { JOBS_POOLS: service } : {}),
    });
    const source = `services/${isPool ? 'jobs' : service}/src/main.ts`;
    const spec = describeProgram({ name, source, readyUrl: `http://127.0.0.1:${port}/readyz`, env }, config);
    specs.push(isUrgent ? { ...spec, firstBackoffMs: URGENT_BACKOFF_MS } : spec);
  }
  return specs;
}

interface Program {
  readonly name: string;
  readonly service: 'proxy' | RedisService;
  /** What holds unless the environment says otherwise. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** What holds whatever the environment says. */
  readonly given?: Readonly<Record<string, string | undefined>>;
  /** People notice at once when it is away. */
  readonly isUrgent?: true;
}

/** Half of what a service of one instance keeps otherwise is room for objects that live for a moment. */
const MEMORY_FLAGS = ['--max-semi-space-size=4'];

/** Long enough for the kernel to give its sockets back. */
const URGENT_BACKOFF_MS = 20;

/** The admin socket in this folder, or one with a shorter path: kernels take no more than 107 bytes. */
function socketPath(folder: string): string {
  const usual = join(folder, 'admin.sock');
  if (Buffer.byteLength(usual) <= 107) return usual;
  return join(tmpdir(), `signalbox-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`);
}

/** Repositories have a folder of their own, so that nothing else of ours can be named as one; those that are named come before it. */
function repositoryFolders(dataDir: string, { REPOSITORIES_DIR }: Readonly<Record<string, string | undefined>>) {
  const ours = join(dataDir, 'repositories');
  return { REPOSITORIES_DIR: REPOSITORIES_DIR ? `${REPOSITORIES_DIR}${delimiter}${ours}` : ours };
}

/** Where the repository of the demo project is. */
export function demoRepositoryPath(dataDir: string): string {
  return join(dataDir, 'repositories/demo.git');
}

/** Of the key that the job service has, whichever that is: the gateway seals, and opens nothing. */
function sealingKey(keys: KeyFiles): string {
  const { SECRETS_KEY, SECRETS_KEY_FILE } = inheritedEnvironment();
  const key = loadSecretsKey({
    ...(SECRETS_KEY ? { SECRETS_KEY } : {}),
    SECRETS_KEY_FILE: SECRETS_KEY_FILE || keys.secrets,
  });
  return deriveSealingKey(key).toString('base64');
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
  { source, ...program }: Omit<ProgramSpec, 'words' | 'main' | 'logFile'> & { readonly source: string },
  config: LocalConfig,
): ProgramSpec {
  const words = [...MEMORY_FLAGS, ...programWords(source)];
  const main = words.at(-1) ?? source;
  return { ...program, words, main, logFile: join(config.SIGNALBOX_DATA_DIR, 'logs', `${program.name}.log`) };
}
