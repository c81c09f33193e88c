import { closeSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { openLog } from './log-file.ts';

/** Where the output of one program goes. */
export interface ServiceLog {
  readonly file: string;
  readonly follow: (stream: Readable) => void;
  readonly close: () => void;
}

/** Fields of a log line that a person at the terminal does not need; the log file has them all. */
const ROUTINE = new Set([
  'level',
  'time',
  'msg',
  'pid',
  'hostname',
  'name',
  'service',
  'traceId',
  'conversationId',
  'stack',
]);

/**
 * Writes every line of a program's output to `file` and reports warnings and errors in short form.
 * The file belongs to the whole run: a program that is started again goes on writing to it.
 */
export function openServiceLog(name: string, file: string, report: (line: string) => void): ServiceLog {
  const handle = openLog(file);
  let open = true;
  return {
    file,
    follow: (stream) => {
      createInterface({ input: stream }).on('line', (line) => {
        if (open) writeSync(handle, `${line}\n`);
        const short = shortenLine(line);
        if (short !== null) report(`${name} ${short}`);
      });
    },
    close: () => {
      if (open) closeSync(handle);
      open = false;
    },
  };
}

/** A warning or error line of a service in one short line, or null for everything else. */
export function shortenLine(line: string): string | null {
  if (!line.startsWith('{')) return null;
  const entry = parseEntry(line);
  const level = nameLevel(entry['level']);
  if (level === null) return null;
  const fields = Object.entries(entry)
    .filter(([key]) => !ROUTINE.has(key))
    .map(([key, value]) => `${key}=${shortenValue(value)}`);
  const text = [`${level}:`, String(entry['msg'] ?? ''), ...fields].join(' ');
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function parseEntry(line: string): Readonly<Record<string, unknown>> {
  try {
    // Any JSON object is a record; what its fields hold is looked at one by one.
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** pino writes levels as numbers (40 warn, 50 error, 60 fatal) unless told otherwise. */
function nameLevel(level: unknown): 'warn' | 'error' | null {
  if (level === 'warn' || level === 40) return 'warn';
  if (level === 'error' || level === 'fatal' || level === 50 || level === 60) return 'error';
  return null;
}

function shortenValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const message = (value as { readonly message?: unknown }).message;
  return typeof message === 'string' ? message : JSON.stringify(value);
}
