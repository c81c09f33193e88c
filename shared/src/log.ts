import { pino, type DestinationStream } from 'pino';

export type Fields = Readonly<Record<string, unknown>>;

/** One JSON line per event: a constant message and variable fields. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A log that adds these fields (traceId, userKey, …) to each line. */
  child(fields: Fields): Log;
}

/** Values under these names never reach a log line. */
const SECRET_FIELDS = [
  'password',
  'token',
  'secret',
  'apiKey',
  'authorization',
  '*.password',
  '*.token',
  '*.secret',
  '*.apiKey',
];

/** Opens the log of one service on standard output. Errors under `error` are written with code, stack and cause. */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service },
    messageKey: 'message',
    timestamp: () => `,"at":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS, censor: '[secret]' },
    serializers: { error: describeError },
  };
  return wrap(destination ? pino(options, destination) : pino(options));
}

type Pino = ReturnType<typeof pino>;

function wrap(logger: Pino): Log {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    child: (fields) => wrap(logger.child(fields)),
  };
}

function describeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown ? thrown.code : undefined;
  return { name, code, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
