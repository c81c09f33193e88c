import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { LineSink } from '@signalbox/platform/line-sink';
import { describeDropped } from '@signalbox/platform/log';
import { openLog } from './log-file.ts';

/** Fields of a log line that the terminal does not show. */
const ROUTINE_FIELDS = new Set(['level', 'at', 'service', 'message', 'traceId', 'conversationId']);

/**
 * Writes a program's output to `file` and reports its warnings and errors in short form. Stays open when the program restarts. Reports a
 * full disk once and counts the dropped lines in the file.
 */
export function openServiceLog(name: string, file: string, report: (line: string) => void) {
  let handle: number | null = null;
  const sink = new LineSink({
    open: () => (handle = openLog(file)),
    formatNotice: (lines, reason) => describeDropped('start', lines, reason),
    onChange: (reason) =>
      report(
        reason === null
          ? `the log of ${name} is written again`
          : `the log of ${name} cannot be written (${reason}); its lines are dropped until ${file} takes them`,
      ),
  });
  return {
    follow: (stream: Readable): void => {
      createInterface({ input: stream }).on('line', (line) => {
        sink.write(`${line}\n`);
        const short = shortenLine(line);
        if (short !== null) report(`${name} ${short}`);
      });
    },
    close: (): void => {
      sink.close();
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

export type ServiceLog = ReturnType<typeof openServiceLog>;

/** Formats a log line of level warn or error for the terminal. Returns null for other lines. */
export function shortenLine(line: string): string | null {
  if (!line.startsWith('{')) return null;
  const entry = parseEntry(line);
  const level = nameLevel(entry['level']);
  if (level === null) return null;
  const fields = Object.entries(entry)
    .filter(([key]) => !ROUTINE_FIELDS.has(key))
    .map(([key, value]) => `${key}=${shortenValue(value)}`);
  const text = [`${level}:`, String(entry['message'] ?? ''), ...fields].join(' ');
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function parseEntry(line: string): Readonly<Record<string, unknown>> {
  try {
    // The line begins with a brace, so it is an object; readers check each field.
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

function nameLevel(level: unknown): 'warn' | 'error' | null {
  if (level === 'fatal') return 'error';
  return level === 'warn' || level === 'error' ? level : null;
}

function shortenValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return 'message' in value && typeof value.message === 'string' ? value.message : JSON.stringify(value);
}
