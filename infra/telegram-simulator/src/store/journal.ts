import {
  chmodSync,
  fchmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { StoreEvent } from './event.ts';

export interface Journal {
  /** Writes before it returns, so nothing is announced that a killed process would forget. */
  readonly append: (event: StoreEvent) => void;
  readonly close: () => void;
}

export interface OpenedJournal {
  readonly events: readonly StoreEvent[];
  readonly sizeBytes: number;
  readonly journal: Journal;
}

const FILE = 'simulator.jsonl';
const NEWLINE = 10;

/**
 * Opens the append-only log of a folder and reads what it holds. A last line without its newline is what a killed
 * process leaves: it was never announced, so it is cut off. Any other unreadable line throws, with what to do.
 */
export function openJournal(dataDir: string): OpenedJournal {
  // What people said is for whoever runs the simulator alone, also in a folder that an earlier release made.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const path = join(dataDir, FILE);
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const { events, sizeBytes } = parseLines(bytes, path);
  const descriptor = openSync(path, 'a', 0o600);
  fchmodSync(descriptor, 0o600);
  if (sizeBytes < bytes.length) ftruncateSync(descriptor, sizeBytes);
  return { events, sizeBytes, journal: createJournal(descriptor) };
}

/** Replaces the log of a folder by these events. A crash in between leaves the old log. */
export function rewriteJournal(dataDir: string, events: Iterable<StoreEvent>): Journal {
  const path = join(dataDir, FILE);
  const next = `${path}.next`;
  const descriptor = openSync(next, 'w', 0o600);
  for (const event of events) writeAll(descriptor, `${JSON.stringify(event)}\n`);
  renameSync(next, path);
  return createJournal(descriptor);
}

/** Keeps nothing: for a simulator without a folder. */
export function createVolatileJournal(): Journal {
  return { append: () => undefined, close: () => undefined };
}

function createJournal(descriptor: number): Journal {
  return {
    append: (event) => writeAll(descriptor, `${JSON.stringify(event)}\n`),
    close: () => closeSync(descriptor),
  };
}

/** One write may take only a part of a long line. */
function writeAll(descriptor: number, line: string): void {
  const bytes = Buffer.from(line);
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function parseLines(bytes: Buffer, path: string): { events: StoreEvent[]; sizeBytes: number } {
  const events: StoreEvent[] = [];
  let start = 0;
  // Line by line from the bytes: a long log does not fit into one string.
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    events.push(parseLine(bytes.toString('utf8', start, end), events.length + 1, path));
    start = end + 1;
  }
  return { events, sizeBytes: start };
}

function parseLine(line: string, number: number, path: string): StoreEvent {
  try {
    return StoreEvent.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`Line ${number} of ${path} is damaged. Delete the file to start with empty chats.`, { cause });
  }
}
