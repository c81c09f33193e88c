import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommonConfig, readConfig } from '@signalbox/platform/config';
import { AppError } from '@signalbox/contracts/errors';
import { EmbeddingsConfig } from '@signalbox/models/embeddings/settings';
import { PolicyConfig } from '@signalbox/safety/policy/settings';
import { z } from 'zod';

/** Printable ASCII, which all clients and servers encode alike. */
const PASSWORD = z
  .string()
  .regex(/^[!-~]{16,200}$/, 'takes 16 to 200 characters, without spaces. `openssl rand -hex 24` makes one.')
  .optional()
  .meta({ secret: true });

const CliConfig = z.object({
  ...PolicyConfig.shape,
  ...EmbeddingsConfig.shape,
  /** URL of Postgres. `npm run signalbox` sets it while `npm start` runs in the same checkout. */
  DATABASE_URL: CommonConfig.shape.DATABASE_URL.optional(),
  /** Passwords with which `migrate` lets the services log in to Postgres. At least 16 characters each. Secret. */
  DATABASE_PASSWORD_GATEWAY: PASSWORD,
  DATABASE_PASSWORD_WORKER: PASSWORD,
  DATABASE_PASSWORD_MAINTENANCE: PASSWORD,
  DATABASE_PASSWORD_AGENTS: PASSWORD,
  DATABASE_PASSWORD_DEPLOY: PASSWORD,
  DATABASE_PASSWORD_ANALYSIS: PASSWORD,
  /** Passwords with which `migrate` creates the services' Redis users; REDIS_URL must have an administrator's login. Secret. */
  REDIS_PASSWORD_GATEWAY: PASSWORD,
  REDIS_PASSWORD_WORKER: PASSWORD,
  REDIS_PASSWORD_MAINTENANCE: PASSWORD,
  REDIS_PASSWORD_AGENTS: PASSWORD,
  REDIS_PASSWORD_DEPLOY: PASSWORD,
  REDIS_PASSWORD_ANALYSIS: PASSWORD,
  /** Plug-ins of the installation, as the services have them; `migrate` creates their tables. */
  AGENTS: CommonConfig.shape.AGENTS,
  /** URL of Redis, set like DATABASE_URL. */
  REDIS_URL: CommonConfig.shape.REDIS_URL.optional(),
  REDIS_PREFIX: CommonConfig.shape.REDIS_PREFIX,
  STREAM_PARTITIONS: CommonConfig.shape.STREAM_PARTITIONS,
  /** The bot token, for checks only. Secret. */
  TELEGRAM_BOT_TOKEN: z.string().optional().meta({ secret: true }),
  /** The channels that gateways open. */
  GATEWAY_CHANNELS: z.string().default('telegram'),
  /** Address of the Bot API. */
  TELEGRAM_API_ROOT: z.url().default('https://api.telegram.org'),
  /** The webhook's address, for checks only. */
  TELEGRAM_WEBHOOK_URL: z.url().optional(),
  /** Data folder of `npm start`, with its run.json unless SIGNALBOX_RUN_FILE is set. */
  SIGNALBOX_DATA_DIR: z.string().default('.signalbox'),
  /** Path of `npm start`'s run.json, which lists the services. */
  SIGNALBOX_RUN_FILE: z.string().optional(),
  /** The file of programs and sources of alarms. Default: the one of `npm start`. */
  INGRESS_SOURCES_FILE: z.string().optional(),
  /** Where the job services keep what a backup takes along: see docs/backup.md. Default: as `npm start` has it. */
  SECRETS_KEY_FILE: z.string().optional(),
  TARGETS_DIR: z.string().optional(),
  PROXY_DIR: z.string().optional(),
  WORKSPACE_DIR: z.string().optional(),
  /** Path of bubblewrap, of its libraries, and the search path, as for the job service; for checks only. */
  BWRAP_PATH: z.string().optional(),
  BWRAP_LIBRARY_PATH: z.string().optional(),
  /** Whether builds and programs are confined, as for the job service; for checks only. */
  PROCESS_CONFINEMENT: z.enum(['on', 'off']).default('on'),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  /** Folder of the signed audit checkpoints. Default: `audit` in the data folder. */
  AUDIT_CHECKPOINT_DIR: z.string().optional(),
  /** Key that signs checkpoints, next to its public key (.pub). Default: the key of `npm start`, else signing-key.pem. */
  AUDIT_KEY_FILE: z.string().optional(),
});
export type CliConfig = z.infer<typeof CliConfig> & {
  readonly runFile: string;
  readonly auditDir: string;
  readonly auditPublicKeyFile: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the process environment; `.env` in the current folder adds unset variables. */
export function loadEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** Reads the configuration. Throws CONFIG_INVALID with all problems. */
export function loadConfig(environment: Environment): CliConfig {
  const config = readConfig(CliConfig, environment);
  const auditDir = config.AUDIT_CHECKPOINT_DIR ?? join(config.SIGNALBOX_DATA_DIR, 'audit');
  const kept = join(config.SIGNALBOX_DATA_DIR, 'keys/audit/signing-key.pem'); // `npm start` stores its key here.
  const beside = join(auditDir, 'signing-key.pem');
  const isKept =
    config.AUDIT_CHECKPOINT_DIR === undefined && (existsSync(`${kept}.pub`) || !existsSync(`${beside}.pub`));
  const keyFile = config.AUDIT_KEY_FILE ?? (isKept ? kept : beside);
  return {
    ...config,
    runFile: config.SIGNALBOX_RUN_FILE ?? join(config.SIGNALBOX_DATA_DIR, 'run.json'),
    auditDir,
    auditPublicKeyFile: `${keyFile}.pub`,
  };
}

/** Returns a required URL. Throws CONFIG_INVALID that says how to set it. */
export function requireUrl(config: CliConfig, name: 'DATABASE_URL' | 'REDIS_URL'): string {
  const url = config[name];
  if (url !== undefined) return url;
  throw new AppError('CONFIG_INVALID', {
    problems: `${name}: is not set. Run \`npm start\` in this checkout first, or set it to the server of your installation.`,
  });
}
