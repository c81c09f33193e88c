import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@signalbox/platform/config';
import { z } from 'zod';
import { getCheckoutPath } from './checkout.ts';

/** Default of AGENTS in local runs: the sample agents. */
export const SAMPLE_AGENTS = 'examples/bank';

/** Variables of a local run. All are optional: `npm start` works with none of them. */
export const LocalConfig = z.object({
  /** A Postgres to use instead of the embedded one, as a postgres:// URL. Secret. */
  DATABASE_URL: z.url().optional().meta({ secret: true }),
  /** A Redis to use instead of the local one, as a redis:// URL. Secret. */
  REDIS_URL: z.url().optional().meta({ secret: true }),
  /** The token of a real Telegram bot. Without it, a Telegram simulator starts. Secret. */
  TELEGRAM_BOT_TOKEN: z.string().optional().meta({ secret: true }),
  /** The folder for databases, logs and everything else of this run. */
  SIGNALBOX_DATA_DIR: z.string().default(() => join(getCheckoutPath(), '.signalbox')),
  /** Plug-in agents, as for every service. Default: the samples; `none`: no plug-in. */
  AGENTS: z.string().default(SAMPLE_AGENTS),
  /** How many workers to start. */
  SIGNALBOX_WORKERS: z.coerce.number().int().min(1).max(32).default(1),
  /** Port of the simulator, or the next free one. */
  SIMULATOR_PORT: z.coerce.number().int().min(1).max(65_535).default(8081),
  /** Port of the gateway's page, or the next free one. */
  GATEWAY_HTTP_PORT: z.coerce.number().int().min(1).max(65_535).default(8082),
  /** Path of bubblewrap. Default: searched on PATH, else fetched from Debian. */
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

/** The environment that programs started from here inherit. */
export function getInheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Sets variables for the programs that are started from here. */
export function addToEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}
