import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@signalbox/platform/config';
import { z } from 'zod';
import { getCheckoutPath } from './checkout.ts';

/** Sample agents, the default of AGENTS in local runs. */
export const SAMPLE_AGENTS = 'examples/bank';

/** Variables of a local run, all optional. */
export const LocalConfig = z.object({
  /** URL of a Postgres to use instead of the embedded one: postgres://… Secret. */
  DATABASE_URL: z.url().optional().meta({ secret: true }),
  /** URL of a Redis to use instead of the local one: redis://… Secret. */
  REDIS_URL: z.url().optional().meta({ secret: true }),
  /** Token of a real Telegram bot. Without a token, the Telegram simulator starts. Secret. */
  TELEGRAM_BOT_TOKEN: z.string().optional().meta({ secret: true }),
  /** Folder of the databases, logs and all other data of this run. */
  SIGNALBOX_DATA_DIR: z.string().default(() => join(getCheckoutPath(), '.signalbox')),
  /** Plug-ins with agents. Default: the sample agents. `none` loads no plug-in. */
  AGENTS: z.string().default(SAMPLE_AGENTS),
  /** Number of workers. */
  SIGNALBOX_WORKERS: z.coerce.number().int().min(1).max(32).default(1),
  /** Preferred port of the simulator; when it is taken, the next free port. */
  SIMULATOR_PORT: z.coerce.number().int().min(1).max(65_535).default(8081),
  /** Preferred port of the gateway's page; when it is taken, the next free port. */
  GATEWAY_HTTP_PORT: z.coerce.number().int().min(1).max(65_535).default(8082),
  /** Number of backups from before updates that are kept; 0 makes none. */
  UPGRADE_BACKUPS: z.coerce.number().int().min(0).max(100).default(3),
  /** Path of bubblewrap. Default: bwrap on PATH, otherwise the package of Debian. */
  BWRAP_PATH: z.string().optional(),
  /** Search path for redis-server, valkey-server and bwrap. */
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
});
export type LocalConfig = z.output<typeof LocalConfig>;

/** Reads the configuration; `.env` in the checkout adds unset variables. Throws CONFIG_INVALID with all problems. */
export function loadLocalConfig(): LocalConfig {
  const file = join(getCheckoutPath(), '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return readConfig(LocalConfig);
}

/** Returns the environment that started programs inherit. */
export function getInheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Sets variables that started programs inherit. */
export function addToEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}
