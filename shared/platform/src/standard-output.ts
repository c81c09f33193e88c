import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { createLineSink, type LineSink } from './line-sink.ts';

const STANDARD_OUTPUT = 1;
/** A process that ends waits so long for a reader that is behind. */
const LAST_WORDS_MS = 300;

let sink: LineSink | null = null;
let socket: Socket | null = null;

/**
 * The standard output of this process, as a sink that neither blocks nor throws when the disk behind it is full, when nobody reads
 * it, or when its terminal was closed. There is one; `notice` is that of whoever asks first. What waits at the end of the process is
 * written then, if it is taken within 0.3 s.
 */
export function standardOutput(notice: (lines: number, reason: string) => string): LineSink {
  if (sink === null) {
    const made = createLineSink({ open: openWithoutWaiting, notice });
    sink = made;
    process.once('exit', () => made.flush(LAST_WORDS_MS));
  }
  return sink;
}

/** How many lines of this process's log were lost because standard output did not take them. */
export function droppedLines(): number {
  return sink?.dropped() ?? 0;
}

/** A descriptor for standard output whose writes never wait, if the system has one; a write to a file waits only for its disk. */
function openWithoutWaiting(): number {
  const kind = fstatSync(STANDARD_OUTPUT);
  if (kind.isFile()) return STANDARD_OUTPUT;
  const isTerminal = isatty(STANDARD_OUTPUT);
  if (isTerminal || kind.isFIFO()) {
    try {
      // Opened anew, it does not wait, and nobody who shares the old descriptor notices.
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
