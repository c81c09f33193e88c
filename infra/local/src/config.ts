import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@signalbox/platform/config';
import { z } from 'zod';
import { checkoutPath } from './checkout.ts';

/** What AGENTS is for whoever tries the product. */
export const SAMPLE_AGENTS = 'examples/bank';

/** Variables of a local run. All are optional: `npm start` works with none of them. */
export const LocalConfig = z.object({
  /** A Postgres to use instead of the embedded one, as a postgres:// URL. */
  DATABASE_URL: z.url().optional(),
  /** A Redis to use instead of the local one, as a redis:// URL. */
  REDIS_URL: z.url().optional(),
  /** The token of a real Telegram bot. Without it, a Telegram simulator starts. Secret. */
  TELEGRAM_BOT_TOKEN: z.string().optional(),
  /** The folder for databases, logs and everything else of this run. */
  SIGNALBOX_DATA_DIR: z.string().default(() => join(checkoutPath(), '.signalbox')),
  /** The agents outside of the core, as every service reads them. Default: the samples; `none`: no plug-in. */
  AGENTS: z.string().default(SAMPLE_AGENTS),
  /** How many workers to start. */
  SIGNALBOX_WORKERS: z.coerce.number().int().min(1).max(32).default(1),
  /** Where the simulator listens; the next free port is taken when this one is busy. */
  SIMULATOR_PORT: z.coerce.number().int().min(1).max(65_535).default(8081),
  /** Where the gateway's page listens; the next free port is taken when this one is busy. */
  GATEWAY_HTTP_PORT: z.coerce.number().int().min(1).max(65_535).default(8082),
  /** The program bubblewrap; searched on PATH and fetched from Debian when it is not set. */
  BWRAP_PATH: z.string().optional(),
  /** Where to look for redis-server, valkey-server and bwrap. */
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
});
export type LocalConfig = z.output<typeof LocalConfig>;

/** Reads the configuration; `.env` in the checkout fills what is not set. Throws CONFIG_INVALID with every problem. */
export function loadLocalConfig(): LocalConfig {
  const file = join(checkoutPath(), '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return readConfig(LocalConfig);
}

/** The environment that programs started from here inherit. */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Sets variables for the programs that are started from here. */
export function addToEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}
