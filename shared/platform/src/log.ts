import { pino, type DestinationStream } from 'pino';
import { toTraceHex } from '@signalbox/contracts/ids';
import { redactForLog, redactValue } from '@signalbox/safety/redact/redact';
import { openStandardOutput } from './standard-output.ts';
import { VERSION } from './version.ts';

export type LogFields = Readonly<Record<string, unknown>>;

/** A log with one JSON line per event: a constant message and variable fields. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Creates a log that adds these fields (traceId, userKey, …) to each line. */
  child(fields: LogFields): Log;
}

/** Fields with these names are logged as [secret]. */
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

/**
 * Opens a service's log on standard output. Errors in the field `error` are written with code, stack and cause.
 * Secrets, addresses and telephone numbers are removed from every string field. Logging never blocks and never
 * throws: lines that standard output does not take are dropped, and a later line says how many.
 */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service, version: VERSION },
    messageKey: 'message',
    timestamp: () => `,"at":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS, censor: '[secret]' },
  };
  const formatNotice = (lines: number, reason: string): string => describeDropped(service, lines, reason);
  // At level `silent` the program itself may use standard output.
  return wrap(
    pino(options, destination ?? (level === 'silent' ? { write: () => undefined } : openStandardOutput(formatNotice))),
  );
}

/** Formats the log line that says how many lines were dropped. */
export function describeDropped(service: string, lines: number, reason: string): string {
  const at = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', at, service, version: VERSION, message: 'lines were not written', lines, reason })}\n`;
}

function wrap(logger: ReturnType<typeof pino>): Log {
  return {
    // Fields are cleaned only when the level is enabled: cleaning is the expensive part.
    debug: (message, fields = {}) => void (logger.isLevelEnabled('debug') && logger.debug(clean(fields), message)),
    info: (message, fields = {}) => void (logger.isLevelEnabled('info') && logger.info(clean(fields), message)),
    warn: (message, fields = {}) => void (logger.isLevelEnabled('warn') && logger.warn(clean(fields), message)),
    error: (message, fields = {}) => void (logger.isLevelEnabled('error') && logger.error(clean(fields), message)),
    child: (fields) => wrap(logger.child(clean(fields))),
  };
}

/** Minimum length of a string that may hold a secret; most strings are shorter. */
const MIN_SECRET_LENGTH = 8;

function clean(fields: LogFields): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) cleaned[name] = cleanField(value);
  // What reads logs joins them with spans by this name and these digits.
  const hex = typeof fields['traceId'] === 'string' ? toTraceHex(fields['traceId']) : null;
  if (hex !== null) cleaned['trace_id'] = hex;
  return cleaned;
}

function cleanField(value: unknown): unknown {
  if (typeof value === 'string') return value.length < MIN_SECRET_LENGTH ? value : redactForLog(value);
  if (typeof value !== 'object' || value === null) return value;
  return redactValue(value instanceof Error ? describeError(value) : value, redactForLog);
}

function describeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown ? thrown.code : undefined;
  return { name, code, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
