import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommonConfig, readConfig } from '@signalbox/platform/config';
import { AppError } from '@signalbox/contracts/errors';
import { PolicyConfig } from '@signalbox/safety/policy/settings';
import { z } from 'zod';

/** Of printable ASCII, which every client and server prepares in the same way. */
const PASSWORD = z
  .string()
  .regex(/^[!-~]{16,200}$/, 'takes 16 to 200 characters, without spaces. `openssl rand -hex 24` makes one.')
  .optional();

const CliConfig = z.object({
  ...PolicyConfig.shape,
  /** Where Postgres is. `npm run signalbox` fills it in while `npm start` runs in the same checkout. */
  DATABASE_URL: CommonConfig.shape.DATABASE_URL.optional(),
  /** With these, `migrate` lets the roles of the services log in. Each at least 16 characters. Secret. */
  DATABASE_PASSWORD_GATEWAY: PASSWORD,
  DATABASE_PASSWORD_WORKER: PASSWORD,
  DATABASE_PASSWORD_MAINTENANCE: PASSWORD,
  DATABASE_PASSWORD_AGENTS: PASSWORD,
  DATABASE_PASSWORD_DEPLOY: PASSWORD,
  DATABASE_PASSWORD_ANALYSIS: PASSWORD,
  /** With these, and the login of an administrator in REDIS_URL, `migrate` makes the users of the services there. Likewise secret. */
  REDIS_PASSWORD_GATEWAY: PASSWORD,
  REDIS_PASSWORD_WORKER: PASSWORD,
  REDIS_PASSWORD_MAINTENANCE: PASSWORD,
  REDIS_PASSWORD_AGENTS: PASSWORD,
  REDIS_PASSWORD_DEPLOY: PASSWORD,
  REDIS_PASSWORD_ANALYSIS: PASSWORD,
  /** The plug-ins of the installation, as the services have them: `migrate` brings their tables. */
  AGENTS: CommonConfig.shape.AGENTS,
  /** Where Redis is, likewise. */
  REDIS_URL: CommonConfig.shape.REDIS_URL.optional(),
  REDIS_PREFIX: CommonConfig.shape.REDIS_PREFIX,
  STREAM_PARTITIONS: CommonConfig.shape.STREAM_PARTITIONS,
  /** The bot's token, only to check it. Secret. */
  TELEGRAM_BOT_TOKEN: z.string().optional(),
  /** The channels that gateways open, as they read them. */
  GATEWAY_CHANNELS: z.string().default('telegram'),
  /** Where the Bot API is served. */
  TELEGRAM_API_ROOT: z.url().default('https://api.telegram.org'),
  /** The address that Telegram should call, only to check it. */
  TELEGRAM_WEBHOOK_URL: z.url().optional(),
  /** The folder of `npm start`: its run.json is read when SIGNALBOX_RUN_FILE is not set. */
  SIGNALBOX_DATA_DIR: z.string().default('.signalbox'),
  /** The run.json of `npm start`, which names the services to ask. */
  SIGNALBOX_RUN_FILE: z.string().optional(),
  /** The program bubblewrap, where its libraries are, and where it is looked for, as for the job service; only to check it. */
  BWRAP_PATH: z.string().optional(),
  BWRAP_LIBRARY_PATH: z.string().optional(),
  /** Whether builds and programs on this machine are confined, as for the job service; only to check it. */
  PROCESS_CONFINEMENT: z.enum(['on', 'off']).default('on'),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  /** Folder of the signed audit checkpoints. Default: audit in the folder of `npm start`. */
  AUDIT_CHECKPOINT_DIR: z.string().optional(),
  /** The key that signs them; its public half is beside it, with .pub. Default: that of `npm start`, else signing-key.pem in that folder. */
  AUDIT_KEY_FILE: z.string().optional(),
});
export type CliConfig = z.infer<typeof CliConfig> & {
  readonly runFile: string;
  readonly auditDir: string;
  readonly auditPublicKeyFile: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process; `.env` in the current folder fills what is not set. */
export function loadEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** Reads the configuration. Throws CONFIG_INVALID with every problem. */
export function loadConfig(environment: Environment): CliConfig {
  const config = readConfig(CliConfig, environment);
  const auditDir = config.AUDIT_CHECKPOINT_DIR ?? join(config.SIGNALBOX_DATA_DIR, 'audit');
  const kept = join(config.SIGNALBOX_DATA_DIR, 'keys/audit/signing-key.pem'); // where `npm start` keeps it
  const isKept = config.AUDIT_CHECKPOINT_DIR === undefined && existsSync(`${kept}.pub`);
  const keyFile = config.AUDIT_KEY_FILE ?? (isKept ? kept : join(auditDir, 'signing-key.pem'));
  return {
    ...config,
    runFile: config.SIGNALBOX_RUN_FILE ?? join(config.SIGNALBOX_DATA_DIR, 'run.json'),
    auditDir,
    auditPublicKeyFile: `${keyFile}.pub`,
  };
}

/** A URL that a command cannot do without. Throws CONFIG_INVALID that says where it comes from. */
export function requireUrl(config: CliConfig, name: 'DATABASE_URL' | 'REDIS_URL'): string {
  const url = config[name];
  if (url !== undefined) return url;
  throw new AppError('CONFIG_INVALID', {
    problems: `${name}: is not set. Run \`npm start\` in this checkout first, or set it to the server of your installation.`,
  });
}
