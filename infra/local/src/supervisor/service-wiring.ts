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

/** Environment variables; undefined means unset. */
export type EnvVariables = Readonly<Record<string, string | undefined>>;

/** A process of the product with its environment. */
export interface WiredService {
  readonly name: string;
  readonly service: 'proxy' | RedisService;
  /** Contains only variables that service-variables.ts allows. */
  readonly env: EnvVariables;
  /** True for a process whose restart must not be delayed, because people notice its absence at once. */
  readonly isUrgent: boolean;
}

/** Settings shared by all processes of an installation. */
export interface InstallationSettings {
  /** Folder of all stored data. */
  readonly dataDir: string;
  /** The operator's environment. It overrides only the defaults. */
  readonly inherited: EnvVariables;
  readonly workers: number;
  readonly pagePort: number;
  /** Key in the page's URL. A new one is needed whenever another program could have used the port. */
  readonly startKey: string;
  readonly keys: KeyFiles;
  readonly bubblewrap: BubblewrapSettings;
  /** URL of the simulated Telegram; null for a real bot, whose token is in `inherited`. */
  readonly simulatorUrl: string | null;
  readonly loginOf: (service: RedisService) => ServiceLogin;
}

/** The bot token that gateway and simulator share. It is valid only on this machine. */
export const SIMULATOR_TOKEN = '100:simulator';

/** Lists the processes of the product in start order, for `npm start` and the tests. Each job pool is a process of its own. */
export function wireServices(settings: InstallationSettings): readonly WiredService[] {
  return listPrograms(settings).map(({ name, service, defaults = {}, given = {}, isUrgent = false }) => {
    const login = service === 'proxy' ? {} : settings.loginOf(service);
    const pools = isJobPool(service) ? { JOBS_POOLS: service } : {};
    return {
      name,
      service,
      isUrgent,
      env: pickEnvironment(service, { AGENTS: SAMPLE_AGENTS, ...defaults }, settings.inherited, given, login, pools),
    };
  });
}

/** True for a job pool; all job pools run the same program. */
export function isJobPool(service: WiredService['service']): boolean {
  return service !== 'proxy' && service !== 'gateway' && service !== 'worker';
}

export function getDemoRepositoryPath(dataDir: string): string {
  return join(dataDir, 'repositories/demo.git');
}

interface Program {
  readonly name: string;
  readonly service: WiredService['service'];
  /** Defaults, which the operator's environment overrides. */
  readonly defaults?: EnvVariables;
  /** Fixed variables, which override the operator's environment. */
  readonly given?: EnvVariables;
  readonly isUrgent?: true;
}

function listPrograms(settings: InstallationSettings): readonly Program[] {
  const { dataDir, inherited, keys, bubblewrap } = settings;
  const proxyDir = join(dataDir, 'proxy');
  const traffic = { PROXY_DIR: proxyDir, PROXY_SOCKET: inherited['PROXY_SOCKET'] || socketPath(proxyDir) };
  const workers = Array.from({ length: settings.workers }, (_, index): Program => {
    const demo = { DEMO_REPOSITORY: getDemoRepositoryPath(dataDir) };
    if (settings.workers === 1) return { name: 'worker', service: 'worker', given: demo };
    // The default worker name is the host's name, which all workers would share.
    const name = `worker-${index + 1}`;
    return { name, service: 'worker', given: { ...demo, WORKER_NAME: name } };
  });
  return [
    // The proxy starts first and stops last, so that deployed services stay reachable.
    { name: 'proxy', service: 'proxy', given: traffic, isUrgent: true },
    {
      name: 'gateway',
      service: 'gateway',
      defaults: {
        GATEWAY_CHANNELS: 'telegram,web,ingress',
        INGRESS_SOURCES_FILE: keys.sources,
        // Whoever reaches the simulator can act as any of its people already.
        WEB_DEMO_PEOPLE: settings.simulatorUrl === null ? 'off' : 'on',
      },
      given: {
        GATEWAY_HTTP_PORT: String(settings.pagePort),
        WEB_START_KEY: settings.startKey,
        ...telegramEnvironment(settings),
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
    {
      name: 'jobs-analysis',
      service: 'analysis',
      defaults: { ENGINEERING_DIR: join(dataDir, 'engineering') },
      given: { ...bubblewrap },
    },
  ];
}

/** Returns the path of the proxy's admin socket, in the temporary folder when it exceeds the kernel's limit of 107 bytes. */
function socketPath(folder: string): string {
  const usual = join(folder, 'admin.sock');
  if (Buffer.byteLength(usual) <= 107) return usual;
  return join(tmpdir(), `signalbox-${hashPath(folder)}.sock`);
}

/** Lists the folders for repositories. Ours contains nothing else, so that no other file can be read as a repository. */
function repositoryFolders(dataDir: string, { REPOSITORIES_DIR }: EnvVariables): EnvVariables {
  const ours = join(dataDir, 'repositories');
  return { REPOSITORIES_DIR: REPOSITORIES_DIR ? `${REPOSITORIES_DIR}${delimiter}${ours}` : ours };
}

/** Derives the sealing key from the job service's secrets key. The gateway can encrypt with it, but not decrypt. */
function sealingKey(keys: KeyFiles, { SECRETS_KEY, SECRETS_KEY_FILE }: EnvVariables): string {
  const key = loadSecretsKey({
    ...(SECRETS_KEY ? { SECRETS_KEY } : {}),
    SECRETS_KEY_FILE: SECRETS_KEY_FILE || keys.secrets,
  });
  return deriveSealingKey(key).toString('base64');
}

function telegramEnvironment({ simulatorUrl, inherited }: InstallationSettings): EnvVariables {
  if (simulatorUrl === null) return { TELEGRAM_BOT_TOKEN: inherited['TELEGRAM_BOT_TOKEN'] };
  return {
    TELEGRAM_BOT_TOKEN: SIMULATOR_TOKEN,
    TELEGRAM_API_ROOT: simulatorUrl,
    // Telegram's rate limits would only slow down the simulator.
    TELEGRAM_SENDS_PER_SECOND: '1000',
    TELEGRAM_CHAT_SENDS_PER_SECOND: '50',
  };
}
