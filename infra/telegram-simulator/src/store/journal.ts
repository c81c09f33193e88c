import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StoreEvent } from './event.ts';

export interface Journal {
  /** Writes synchronously, so that a killed process loses no published event. */
  readonly append: (event: StoreEvent) => void;
  readonly close: () => void;
}

const FILE = 'simulator.jsonl';
const NEWLINE = 10;

/** Reads the log, creating its folder. Drops an incomplete last line; throws with a remedy for other unreadable lines. */
export function readJournal(dataDir: string): StoreEvent[] {
  // Private to the user, also in a folder of an earlier release.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const path = join(dataDir, FILE);
  return existsSync(path) ? parseLines(readFileSync(path), path) : [];
}

/** Replaces the log by these events; a crash leaves the old log intact. */
export function rewriteJournal(dataDir: string, events: Iterable<StoreEvent>): Journal {
  const path = join(dataDir, FILE);
  const next = `${path}.next`;
  const descriptor = openSync(next, 'w', 0o600);
  const append = (event: StoreEvent): void => writeAll(descriptor, `${JSON.stringify(event)}\n`);
  for (const event of events) append(event);
  renameSync(next, path);
  return { append, close: () => closeSync(descriptor) };
}

/** Creates a journal that stores nothing, for a simulator without a folder. */
export function createVolatileJournal(): Journal {
  return { append: () => undefined, close: () => undefined };
}

/** Repeats partial writes of a long line. */
function writeAll(descriptor: number, line: string): void {
  const bytes = Buffer.from(line);
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function parseLines(bytes: Buffer, path: string): StoreEvent[] {
  const events: StoreEvent[] = [];
  let start = 0;
  // Splits bytes instead of a string, because a long log exceeds the maximum string length.
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    events.push(parseLine(bytes.toString('utf8', start, end), events.length + 1, path));
    start = end + 1;
  }
  return events;
}

function parseLine(line: string, number: number, path: string): StoreEvent {
  try {
    return StoreEvent.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`Line ${number} of ${path} is damaged. Delete the file to start with empty chats.`, { cause });
  }
}
