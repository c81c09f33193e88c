import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StoreEvent } from './event.ts';

export interface Journal {
  /** Writes before it returns, so nothing is announced that a killed process would forget. */
  readonly append: (event: StoreEvent) => void;
  readonly close: () => void;
}

const FILE = 'simulator.jsonl';
const NEWLINE = 10;

/**
 * Reads the append-only log of a folder, which is made if it is not there. A last line without its newline is what a killed process
 * leaves: it was never announced, so it is left out. Any other unreadable line throws, with what to do.
 */
export function readJournal(dataDir: string): StoreEvent[] {
  // What people said is for whoever runs the simulator alone, also in a folder that an earlier release made.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const path = join(dataDir, FILE);
  return existsSync(path) ? parseLines(readFileSync(path), path) : [];
}

/** Begins the log of a folder anew with these events, in place of the old one. A crash in between leaves the old log. */
export function rewriteJournal(dataDir: string, events: Iterable<StoreEvent>): Journal {
  const path = join(dataDir, FILE);
  const next = `${path}.next`;
  const descriptor = openSync(next, 'w', 0o600);
  const append = (event: StoreEvent): void => writeAll(descriptor, `${JSON.stringify(event)}\n`);
  for (const event of events) append(event);
  renameSync(next, path);
  return { append, close: () => closeSync(descriptor) };
}

/** Keeps nothing: for a simulator without a folder. */
export function createVolatileJournal(): Journal {
  return { append: () => undefined, close: () => undefined };
}

/** One write may take only a part of a long line. */
function writeAll(descriptor: number, line: string): void {
  const bytes = Buffer.from(line);
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function parseLines(bytes: Buffer, path: string): StoreEvent[] {
  const events: StoreEvent[] = [];
  let start = 0;
  // Line by line from the bytes: a long log does not fit into one string.
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
