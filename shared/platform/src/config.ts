import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { readSecretFiles } from './secret-files.ts';

/** Environment variables that every service reads. A service's own config.ts extends this schema. */
export const CommonConfig = z.object({
  /** Where Postgres is, as a postgres:// URL. `npm start` fills it in for its embedded server. Secret. */
  DATABASE_URL: z.url().meta({ secret: true }),
  /** Where Redis is, as a redis:// URL. Secret. */
  REDIS_URL: z.url().meta({ secret: true }),
  /** Prefix of every Redis key, so that several installations can share one server. */
  REDIS_PREFIX: z.string().default(''),
  /** Number of stream partitions: 1 on one Redis, 8 to 16 on a Redis Cluster. Change it only while no service runs. */
  STREAM_PARTITIONS: z.coerce.number().int().min(1).max(64).default(1),
  /** Port of /healthz, /readyz and /metrics. 0 picks a free port. */
  PROBE_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Address that the probes listen on. */
  PROBE_HOST: z.string().default('127.0.0.1'),
  /**
   * Plug-ins with agents of their own: folders (`examples/bank`) or packages (`@acme/loans`), separated by commas. `none`: no plug-in, which
   * is the default here; `npm start` names the samples.
   */
  AGENTS: z.string().default(''),
  /** Least level of logged lines: trace, debug, info, warn, error or silent. */
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});
export type CommonConfig = z.infer<typeof CommonConfig>;

/** Address of a forge's API, without a slash at its end. Only an address of this machine may do without encryption. */
export const ForgeAddress = z
  .string()
  .refine(isForgeAddress, { error: 'is not an https address without a login, or an http address of this machine' })
  .transform((address) => address.replace(/\/+$/, ''));

/** Environment variables of the service that decrypts secrets. */
export const SecretsConfig = z.object({
  /** The key that decrypts people's secrets: 32 bytes in base64 or hexadecimal. Secret. */
  SECRETS_KEY: z.string().optional().meta({ secret: true }),
  /** File with the key that decrypts secrets, read when SECRETS_KEY is not set. Created when missing, readable only by its owner. */
  SECRETS_KEY_FILE: z.string().default('.signalbox/secrets.key'),
});

/**
 * Reads the environment through a schema. An empty variable counts as not set. A secret may come from the file that NAME_FILE names.
 * Throws CONFIG_INVALID that lists every problem at once, by variable, never its value.
 */
export function readConfig<S extends z.ZodType>(
  schema: S,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): z.output<S> {
  return readConfigs([schema], environment)[0] as z.output<S>; // one result per schema
}

/** Parses the environment with each schema, in order. Throws CONFIG_INVALID with the problems of all schemas. */
export function readConfigs(
  schemas: readonly z.ZodType[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly unknown[] {
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const fields = schemas.flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.entries<z.ZodType>(schema.shape) : [],
  );
  const files = readSecretFiles(Object.fromEntries(fields), variables);
  const parsed = schemas.map((schema) => schema.safeParse({ ...variables, ...files.values }));
  const issues = parsed
    .flatMap(({ error }) => error?.issues ?? [])
    .filter(({ path }) => !files.problems.has(path.join('.')))
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
  const problems = [...files.problems.values(), ...issues].join('; ');
  if (problems !== '') throw new AppError('CONFIG_INVALID', { problems });
  return parsed.map(({ data }) => data);
}

function isForgeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(address);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname));
  return isSafe && username === '' && password === '' && search === '' && hash === '';
}
