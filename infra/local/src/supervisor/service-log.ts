import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { LineSink } from '@signalbox/platform/line-sink';
import { describeDropped } from '@signalbox/platform/log';
import { openLog } from './log-file.ts';

/** Fields of a log line that a person at the terminal does not need; the log file has them all. */
const ROUTINE = new Set(['level', 'at', 'service', 'message', 'traceId', 'conversationId']);

/**
 * Writes every line of a program's output to `file` and reports warnings and errors in short form.
 * The file belongs to the whole run: a program that is started again goes on writing to it. A disk that takes no more is said
 * once; lines are dropped then, and a line in the file says how many.
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

/** A warning or error line of a service in one short line, or null for everything else. */
export function shortenLine(line: string): string | null {
  if (!line.startsWith('{')) return null;
  const entry = parseEntry(line);
  const level = nameLevel(entry['level']);
  if (level === null) return null;
  const fields = Object.entries(entry)
    .filter(([key]) => !ROUTINE.has(key))
    .map(([key, value]) => `${key}=${shortenValue(value)}`);
  const text = [`${level}:`, String(entry['message'] ?? ''), ...fields].join(' ');
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

function nameLevel(level: unknown): 'warn' | 'error' | null {
  if (level === 'fatal') return 'error';
  return level === 'warn' || level === 'error' ? level : null;
}

function shortenValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return 'message' in value && typeof value.message === 'string' ? value.message : JSON.stringify(value);
}
