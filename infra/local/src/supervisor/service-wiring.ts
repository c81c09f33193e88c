import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { RedisService } from '@signalbox/platform/redis-users';
import { loadSecretsKey } from '@signalbox/safety/secrets/key';
import { deriveSealingKey } from '@signalbox/safety/secrets/key-pair';
import type { BubblewrapSettings } from '../setup/bubblewrap-program.ts';
import type { KeyFiles } from '../setup/key-files.ts';
import type { ServiceLogin } from './service-logins.ts';
import { hashPath } from '../checkout.ts';
import { SAMPLE_AGENTS } from '../config.ts';
import { pickEnvironment } from './service-variables.ts';

/** Environment variables; undefined means not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A process of the product: its name, service and environment. */
export interface WiredService {
  readonly name: string;
  readonly service: 'proxy' | RedisService;
  /** Only variables that service-variables.ts allows. */
  readonly env: Variables;
  /** True when people notice its absence at once. */
  readonly isUrgent: boolean;
}

/** Settings shared by all services of an installation. */
export interface Surroundings {
  /** Folder of all stored data. */
  readonly dataDir: string;
  /** The operator's variables, which override defaults only. */
  readonly inherited: Variables;
  readonly workers: number;
  /** Port of the gateway's pages. */
  readonly pagePort: number;
  /** URL key, drawn anew whenever the port was free in between. */
  readonly startKey: string;
  readonly keys: KeyFiles;
  readonly bubblewrap: BubblewrapSettings;
  /** URL of the simulated Telegram; null for a real bot, whose token is in `inherited`. */
  readonly simulatorUrl: string | null;
  readonly loginOf: (service: RedisService) => ServiceLogin;
}

/** The gateway's token for the simulator, useless elsewhere. */
export const SIMULATOR_TOKEN = '100:simulator';

/**
 * The services in start order, with their own logins and keys. `npm start` and the tests use this, so that tests run what people run.
 * Several workers are worker-1, worker-2, …; each job pool is its own process.
 */
export function wireServices(around: Surroundings): readonly WiredService[] {
  return listPrograms(around).map(({ name, service, defaults = {}, given = {}, isUrgent = false }) => {
    const login = service === 'proxy' ? {} : around.loginOf(service);
    const pools = isJobPool(service) ? { JOBS_POOLS: service } : {};
    return {
      name,
      service,
      isUrgent,
      env: pickEnvironment(service, { AGENTS: SAMPLE_AGENTS, ...defaults }, around.inherited, given, login, pools),
    };
  });
}

/** True for job pools, which share one program. */
export function isJobPool(service: WiredService['service']): boolean {
  return service !== 'proxy' && service !== 'gateway' && service !== 'worker';
}

/** Path of the demo project's repository. */
export function getDemoRepositoryPath(dataDir: string): string {
  return join(dataDir, 'repositories/demo.git');
}

interface Program {
  readonly name: string;
  readonly service: WiredService['service'];
  /** Defaults, overridden by the environment. */
  readonly defaults?: Variables;
  /** Fixed variables, which override the environment. */
  readonly given?: Variables;
  readonly isUrgent?: true;
}

function listPrograms(around: Surroundings): readonly Program[] {
  const { dataDir, inherited, keys, bubblewrap } = around;
  const proxyDir = join(dataDir, 'proxy');
  const traffic = { PROXY_DIR: proxyDir, PROXY_SOCKET: inherited['PROXY_SOCKET'] || socketPath(proxyDir) };
  const workers = Array.from({ length: around.workers }, (_, index): Program => {
    const demo = { DEMO_REPOSITORY: getDemoRepositoryPath(dataDir) };
    if (around.workers === 1) return { name: 'worker', service: 'worker', given: demo };
    // The default name is the host's, which all workers share.
    const name = `worker-${index + 1}`;
    return { name, service: 'worker', given: { ...demo, WORKER_NAME: name } };
  });
  return [
    // Started first and stopped last, so that deployed services stay reachable.
    { name: 'proxy', service: 'proxy', given: traffic, isUrgent: true },
    {
      name: 'gateway',
      service: 'gateway',
      defaults: {
        GATEWAY_CHANNELS: 'telegram,web',
        // With the simulator, anybody can act as any of its people anyway.
        WEB_DEMO_PEOPLE: around.simulatorUrl === null ? 'off' : 'on',
      },
      given: {
        GATEWAY_HTTP_PORT: String(around.pagePort),
        WEB_START_KEY: around.startKey,
        ...telegramEnvironment(around),
        SECRETS_SEALING_KEY: sealingKey(keys, inherited),
      },
    },
    ...workers,
    {
      name: 'jobs-maintenance',
      service: 'maintenance',
      defaults: { AUDIT_CHECKPOINT_DIR: join(dataDir, 'audit'), AUDIT_KEY_FILE: keys.audit },
    },
    {
      name: 'jobs-agents',
      service: 'agents',
      defaults: { WORKSPACE_DIR: join(dataDir, 'workspaces') },
      given: { ...bubblewrap },
    },
    {
      name: 'jobs-deploy',
      service: 'deploy',
      defaults: {
        SECRETS_KEY_FILE: keys.secrets,
        TARGETS_DIR: join(dataDir, 'targets'),
        DEPLOY_DIR: join(dataDir, 'deploys'),
      },
      given: { ...traffic, ...bubblewrap, ...repositoryFolders(dataDir, inherited) },
    },
    { name: 'jobs-analysis', service: 'analysis', given: { ...bubblewrap } },
  ];
}

/** The admin socket's path, in the temporary folder when it would exceed the kernel's 107 bytes. */
function socketPath(folder: string): string {
  const usual = join(folder, 'admin.sock');
  if (Buffer.byteLength(usual) <= 107) return usual;
  return join(tmpdir(), `signalbox-${hashPath(folder)}.sock`);
}

/** Our repositories have their own folder, so that no other file of ours can be used as one; configured folders come first. */
function repositoryFolders(dataDir: string, { REPOSITORIES_DIR }: Variables): Variables {
  const ours = join(dataDir, 'repositories');
  return { REPOSITORIES_DIR: REPOSITORIES_DIR ? `${REPOSITORIES_DIR}${delimiter}${ours}` : ours };
}

/** The sealing key derived from the job service's secrets key: the gateway seals, but cannot decrypt. */
function sealingKey(keys: KeyFiles, { SECRETS_KEY, SECRETS_KEY_FILE }: Variables): string {
  const key = loadSecretsKey({
    ...(SECRETS_KEY ? { SECRETS_KEY } : {}),
    SECRETS_KEY_FILE: SECRETS_KEY_FILE || keys.secrets,
  });
  return deriveSealingKey(key).toString('base64');
}

function telegramEnvironment({ simulatorUrl, inherited }: Surroundings): Variables {
  if (simulatorUrl === null) return { TELEGRAM_BOT_TOKEN: inherited['TELEGRAM_BOT_TOKEN'] };
  return {
    TELEGRAM_BOT_TOKEN: SIMULATOR_TOKEN,
    TELEGRAM_API_ROOT: simulatorUrl,
    // Telegram's limits would only slow down the simulator.
    TELEGRAM_SENDS_PER_SECOND: '1000',
    TELEGRAM_CHAT_SENDS_PER_SECOND: '50',
  };
}
