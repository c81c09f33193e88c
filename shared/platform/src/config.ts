import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';

/** Variables that every service reads. A service's own config.ts extends this. */
export const CommonConfig = z.object({
  /** Where Postgres is, as a postgres:// URL. `npm start` fills it in for its embedded server. */
  DATABASE_URL: z.url(),
  /** Where Redis is, as a redis:// URL. */
  REDIS_URL: z.url(),
  /** Put before every Redis key, so that several installations can share one server. */
  REDIS_PREFIX: z.string().default(''),
  /** How many partitions the streams have: 1 on one Redis, 8 to 16 on a Redis Cluster. Change it only while nothing runs. */
  STREAM_PARTITIONS: z.coerce.number().int().min(1).max(64).default(1),
  /** Port of /healthz, /readyz and /metrics. 0 picks a free one. */
  PROBE_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Address that the probes listen on. */
  PROBE_HOST: z.string().default('127.0.0.1'),
  /** trace, debug, info, warn, error. */
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});
export type CommonConfig = z.infer<typeof CommonConfig>;

/** Variables of the service that opens secrets. */
export const SecretsConfig = z.object({
  /** The key that opens people's secrets: 32 bytes in base 64, or in hexadecimal. Secret. */
  SECRETS_KEY: z.string().optional(),
  /** The file that holds the key when the variable is not set. It is made when it is not there, readable only by its owner. */
  SECRETS_KEY_FILE: z.string().default('.signalbox/secrets.key'),
});

/**
 * Reads the environment through a schema. An empty variable counts as not set.
 * Throws CONFIG_INVALID that lists every problem at once, by variable, never its value.
 */
export function readConfig<S extends z.ZodType>(
  schema: S,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): z.output<S> {
  return readConfigs([schema], environment)[0] as z.output<S>; // one for each schema
}

/** Reads the environment through several schemas, in their order, as `readConfig` does: the problems of all of them come at once. */
export function readConfigs(
  schemas: readonly z.ZodType[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly unknown[] {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schemas.map((schema) => schema.safeParse(given));
  const issues = parsed.flatMap(({ error }) => error?.issues ?? []);
  const problems = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  if (problems !== '') throw new AppError('CONFIG_INVALID', { problems });
  return parsed.map(({ data }) => data);
}
