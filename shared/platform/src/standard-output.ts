import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { LineSink } from './line-sink.ts';

const STANDARD_OUTPUT = 1;
/** Maximum time that an exiting process waits for a slow reader. */
const EXIT_FLUSH_MS = 300;

let sink: LineSink | null = null;
let socket: Socket | null = null;

/**
 * Opens standard output as a sink that neither blocks nor throws when the disk is full, the reader is slow or the terminal is closed.
 * Later calls return the same sink, with the `formatNotice` of the first. On exit it flushes for at most 0.3 s.
 */
export function openStandardOutput(formatNotice: (lines: number, reason: string) => string): LineSink {
  if (sink === null) {
    const created = new LineSink({ open: openNonBlocking, formatNotice });
    sink = created;
    process.once('exit', () => created.flush(EXIT_FLUSH_MS));
  }
  return sink;
}

/** Counts the log lines of this process that standard output did not take. */
export function countDroppedLines(): number {
  return sink?.dropped ?? 0;
}

/** Returns a non-blocking descriptor for standard output where the system has one; a file blocks only for its disk. */
function openNonBlocking(): number {
  const stats = fstatSync(STANDARD_OUTPUT);
  if (stats.isFile()) return STANDARD_OUTPUT;
  const isTerminal = isatty(STANDARD_OUTPUT);
  if (isTerminal || stats.isFIFO()) {
    try {
      // A second open of standard output is non-blocking and leaves the shared descriptor as it is.
      const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
      return openSync(`/proc/self/fd/${STANDARD_OUTPUT}`, flags);
    } catch {
      // Not Linux, or not permitted: the shared descriptor is made non-blocking below.
    }
  }
  if (stats.isSocket() || stats.isFIFO()) {
    // Creating a Socket makes its descriptor non-blocking; this socket has no other purpose.
    socket = new Socket({ fd: STANDARD_OUTPUT, readable: false, writable: true });
    socket.on('error', () => undefined);
    socket.unref();
  }
  return STANDARD_OUTPUT;
}
