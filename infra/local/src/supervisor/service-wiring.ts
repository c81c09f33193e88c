import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { RedisService } from '@signalbox/platform/redis-users';
import { loadSecretsKey } from '@signalbox/safety/secrets/key';
import { deriveSealingKey } from '@signalbox/safety/secrets/key-pair';
import type { BubblewrapSettings } from '../setup/bubblewrap-program.ts';
import type { KeyFiles } from '../setup/key-files.ts';
import type { ServiceLogin } from './service-logins.ts';
import { SAMPLE_AGENTS } from '../config.ts';
import { environmentOf } from './service-variables.ts';

/** A set of environment variables; one without a value is not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** One process of the product: what it is called, which service it runs, and all that it knows of its surroundings. */
export interface WiredService {
  readonly name: string;
  readonly service: 'proxy' | RedisService;
  /** The variables that service-variables.ts allows it, and no others. */
  readonly env: Variables;
  /** People notice at once when it is away. */
  readonly isUrgent: boolean;
}

/** What the services of one installation have in common. */
export interface Surroundings {
  /** The folder of everything that the services keep. */
  readonly dataDir: string;
  /** What the operator has set. It replaces defaults only. */
  readonly inherited: Variables;
  readonly workers: number;
  /** Where the gateway's pages listen. */
  readonly pagePort: number;
  /** Drawn for each time during which nobody else can have that port. */
  readonly startKey: string;
  readonly keys: KeyFiles;
  readonly bubblewrap: BubblewrapSettings;
  /** The address of the simulated Telegram; null for a real bot, whose token `inherited` has. */
  readonly simulatorUrl: string | null;
  readonly loginOf: (service: RedisService) => ServiceLogin;
}

/** The token by which the gateway speaks to the simulator; it opens nothing anywhere else. */
export const SIMULATOR_TOKEN = '100:simulator';

/**
 * The services in the order of starting, each with its own logins and keys. `npm start` and the tests start what this says, so that what
 * is tested is what people run. Several workers are named worker-1, worker-2 and so on; each pool of jobs is a process of its own.
 */
export function wireServices(around: Surroundings): readonly WiredService[] {
  return programsOf(around).map(({ name, service, defaults = {}, given = {}, isUrgent = false }) => {
    const login = service === 'proxy' ? {} : around.loginOf(service);
    const pools = isJobPool(service) ? { JOBS_POOLS: service } : {};
    return {
      name,
      service,
      isUrgent,
      env: environmentOf(service, { AGENTS: SAMPLE_AGENTS, ...defaults }, around.inherited, given, login, pools),
    };
  });
}

/** Whether a service is a pool of jobs: one program runs all of those. */
export function isJobPool(service: WiredService['service']): boolean {
  return service !== 'proxy' && service !== 'gateway' && service !== 'worker';
}

/** Where the repository of the demo project is. */
export function demoRepositoryPath(dataDir: string): string {
  return join(dataDir, 'repositories/demo.git');
}

interface Program {
  readonly name: string;
  readonly service: WiredService['service'];
  /** What holds unless the environment says otherwise. */
  readonly defaults?: Variables;
  /** What holds whatever the environment says. */
  readonly given?: Variables;
  readonly isUrgent?: true;
}

function programsOf(around: Surroundings): readonly Program[] {
  const { dataDir, inherited, keys, bubblewrap } = around;
  const proxyDir = join(dataDir, 'proxy');
  const traffic = { PROXY_DIR: proxyDir, PROXY_SOCKET: inherited['PROXY_SOCKET'] || socketPath(proxyDir) };
  const workers = Array.from({ length: around.workers }, (_, index): Program => {
    const demo = { DEMO_REPOSITORY: demoRepositoryPath(dataDir) };
    if (around.workers === 1) return { name: 'worker', service: 'worker', given: demo };
    // Their default is the name of the host, which all of them share.
    const name = `worker-${index + 1}`;
    return { name, service: 'worker', given: { ...demo, WORKER_NAME: name } };
  });
  return [
    // First up and last down: services that were deployed are reached whatever else goes on.
    { name: 'proxy', service: 'proxy', given: traffic, isUrgent: true },
    {
      name: 'gateway',
      service: 'gateway',
      defaults: {
        GATEWAY_CHANNELS: 'telegram,web',
        // Anybody who reaches the simulator can be any of its people as well.
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

/** The admin socket in this folder, or one with a shorter path: kernels take no more than 107 bytes. */
function socketPath(folder: string): string {
  const usual = join(folder, 'admin.sock');
  if (Buffer.byteLength(usual) <= 107) return usual;
  return join(tmpdir(), `signalbox-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`);
}

/** Repositories have a folder of their own, so that nothing else of ours can be named as one; those that are named come before it. */
function repositoryFolders(dataDir: string, { REPOSITORIES_DIR }: Variables): Variables {
  const ours = join(dataDir, 'repositories');
  return { REPOSITORIES_DIR: REPOSITORIES_DIR ? `${REPOSITORIES_DIR}${delimiter}${ours}` : ours };
}

/** Of the key that the job service has, whichever that is: the gateway seals, and opens nothing. */
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
    // Telegram's own limits would only slow down a machine that talks to itself.
    TELEGRAM_SENDS_PER_SECOND: '1000',
    TELEGRAM_CHAT_SENDS_PER_SECOND: '50',
  };
}
