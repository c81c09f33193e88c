import { pino, type DestinationStream } from 'pino';
import { redactForLog, redactValue } from '@signalbox/safety/redact/redact';
import { standardOutput } from './standard-output.ts';

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

/**
 * Opens the log of one service on standard output. Errors under `error` are written with code, stack and cause. Secrets, addresses
 * and telephone numbers are left out of every string, whatever its field is called. To log never waits and never throws: what
 * standard output does not take is dropped, and a later line says how many there were.
 */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { service },
    messageKey: 'message',
    timestamp: () => `,"at":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS, censor: '[secret]' },
  };
  const notice = (lines: number, reason: string): string => describeDropped(service, lines, reason);
  // A silent log leaves standard output to the program.
  return wrap(pino(options, destination ?? (level === 'silent' ? { write: () => undefined } : standardOutput(notice))));
}

/** The line that stands where lines are missing. */
export function describeDropped(service: string, lines: number, reason: string): string {
  const at = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', at, service, message: 'lines were not written', lines, reason })}\n`;
}

type Pino = ReturnType<typeof pino>;

function wrap(logger: Pino): Log {
  return {
    // What is not written is not looked at.
    debug: (message, fields = {}) => void (logger.isLevelEnabled('debug') && logger.debug(clean(fields), message)),
    info: (message, fields = {}) => void (logger.isLevelEnabled('info') && logger.info(clean(fields), message)),
    warn: (message, fields = {}) => void (logger.isLevelEnabled('warn') && logger.warn(clean(fields), message)),
    error: (message, fields = {}) => void (logger.isLevelEnabled('error') && logger.error(clean(fields), message)),
    child: (fields) => wrap(logger.child(clean(fields))),
  };
}

/** Shorter strings hold no secret, and are most of what is written. */
const SHORTEST = 8;

function clean(fields: Fields): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) cleaned[name] = cleanField(value);
  return cleaned;
}

function cleanField(value: unknown): unknown {
  if (typeof value === 'string') return value.length < SHORTEST ? value : redactForLog(value);
  if (typeof value !== 'object' || value === null) return value;
  return redactValue(value instanceof Error ? describeError(value) : value, redactForLog);
}

function describeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown ? thrown.code : undefined;
  return { name, code, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
