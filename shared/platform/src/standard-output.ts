import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { LineSink } from './line-sink.ts';

const STANDARD_OUTPUT = 1;
/** How long a process that ends waits for a slow reader. */
const LAST_WORDS_MS = 300;

let sink: LineSink | null = null;
let socket: Socket | null = null;

/**
 * The standard output of this process, as a sink that neither blocks nor throws when its disk is full, its reader is slow or its
 * terminal is closed. There is one, with the `notice` of the first call. At the end of the process it writes what waits, for at most
 * 0.3 s.
 */
export function standardOutput(notice: (lines: number, reason: string) => string): LineSink {
  if (sink === null) {
    const made = new LineSink({ open: openWithoutWaiting, notice });
    sink = made;
    process.once('exit', () => made.flush(LAST_WORDS_MS));
  }
  return sink;
}

/** How many lines of this process's log were lost because standard output did not take them. */
export function droppedLines(): number {
  return sink?.dropped ?? 0;
}

/** A descriptor for standard output whose writes never wait, if the system has one; a write to a file waits only for its disk. */
function openWithoutWaiting(): number {
  const kind = fstatSync(STANDARD_OUTPUT);
  if (kind.isFile()) return STANDARD_OUTPUT;
  const isTerminal = isatty(STANDARD_OUTPUT);
  if (isTerminal || kind.isFIFO()) {
    try {
      // Opened anew, it does not block, and the other owners of the old descriptor keep theirs.
      const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
      return openSync(`/proc/self/fd/${STANDARD_OUTPUT}`, flags);
    } catch {
      // Not Linux, or not allowed: as below.
    }
  }
  if (kind.isSocket() || kind.isFIFO()) {
    // Node makes the descriptors of its sockets non-blocking; this one is for nothing else.
    socket = new Socket({ fd: STANDARD_OUTPUT, readable: false, writable: true });
    socket.on('error', () => undefined);
    socket.unref();
  }
  return STANDARD_OUTPUT;
}
