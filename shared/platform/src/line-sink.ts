import { writeSync } from 'node:fs';

/*
 * A sink is in one of these modes:
 *   well     what comes is written at once
 *   behind   the last write was refused (full disk, nobody reads): lines wait, up to a limit, and what comes then is dropped
 *   closed   whoever read is gone for good (EPIPE): every line is dropped
 * Nobody who writes ever waits, and nothing is ever thrown at them. When a sink works again, one line says how many are missing.
 */

/** Takes lines, and loses some rather than keep anybody waiting. */
export interface LineSink {
  /** Takes a line, which ends with a line feed. Never waits, never throws. */
  write(line: string): void;
  /** How many lines were lost since the sink exists. */
  dropped(): number;
  /** Tries for so long to write what waits. For the end of a process: it blocks. */
  flush(withinMs: number): void;
  /** Writes what is taken at once, and nothing from then on: the descriptor may be closed. */
  close(): void;
}

/** What waits for a reader that is slow, or for a disk that is full, at most: some thousand lines. */
const MOST_WAITING = 1024 * 1024;
/** As much as a pipe takes at once. */
const MOST_AT_ONCE = 64 * 1024;
/** A reader is behind for milliseconds, a disk is full for minutes. */
const READER_AGAIN_MS = 20;
const DISK_AGAIN_MS = 1_000;
/** These do not pass: nobody will ever read again. */
const CLOSED = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF']);

/**
 * Writes lines to what `open` returns: a descriptor whose writes do not wait. `open` may throw, and is tried again then. `notice`
 * makes the line that says how many were lost; `changed` hears the reason when writing begins to fail, and null when it works again.
 */
export function createLineSink(options: {
  readonly open: () => number;
  readonly notice: (lines: number, reason: string) => string;
  readonly changed?: (reason: string | null) => void;
}): LineSink {
  const waiting: string[] = [];
  let waitingLength = 0;
  let rest: Buffer = Buffer.alloc(0); // a batch that was begun is ended before anything else: no line is torn
  let descriptor: number | null = null;
  let dropped = 0;
  let unsaid = 0;
  let reason: string | null = null;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;

  const push = (line: string): void => {
    waiting.push(line);
    waitingLength += line.length;
  };
  const drop = (lines: number): void => {
    dropped += lines;
    unsaid += lines;
  };
  const sayWhatIsMissing = (): void => {
    if (unsaid === 0 || isClosed) return;
    push(options.notice(unsaid, reason ?? 'nobody read them in time'));
    unsaid = 0;
  };
  const takeBatch = (): Buffer => {
    let batch = '';
    while (batch.length < MOST_AT_ONCE) {
      const line = waiting.shift();
      if (line === undefined) break;
      batch += line;
    }
    waitingLength -= batch.length;
    return Buffer.from(batch);
  };
  const fail = (error: unknown): 'soon' | 'later' => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'EAGAIN') return 'soon'; // the reader is behind
    if (reason === null) options.changed?.(code);
    reason = code;
    if (CLOSED.has(code)) close();
    return 'later';
  };
  const close = (): void => {
    isClosed = true;
    drop(waiting.length);
    waiting.length = 0;
    waitingLength = 0;
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  /** Writes as much as is taken now; answers when to try the rest. */
  const pump = (): 'done' | 'soon' | 'later' => {
    while (!isClosed) {
      if (rest.length === 0 && waiting.length === 0) sayWhatIsMissing();
      if (rest.length === 0) rest = takeBatch();
      if (rest.length === 0) return 'done';
      try {
        descriptor ??= options.open();
        rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        return fail(error);
      }
      if (rest.length === 0 && reason !== null) {
        sayWhatIsMissing(); // while the reason is known
        reason = null;
        options.changed?.(null);
      }
    }
    return 'done';
  };
  const schedule = (): void => {
    const next = pump();
    if (next === 'done' || isClosed) return;
    timer = setTimeout(
      () => {
        timer = null;
        schedule();
      },
      next === 'soon' ? READER_AGAIN_MS : DISK_AGAIN_MS,
    );
    timer.unref();
  };

  return {
    write: (line) => {
      if (isClosed || waitingLength + line.length > MOST_WAITING) return drop(1);
      sayWhatIsMissing();
      push(line);
      if (timer === null) schedule();
    },
    dropped: () => dropped,
    flush: (withinMs) => {
      const until = performance.now() + withinMs;
      const pause = new Int32Array(new SharedArrayBuffer(4));
      while (pump() === 'soon' && performance.now() < until) Atomics.wait(pause, 0, 0, 5);
    },
    close: () => {
      pump();
      close();
    },
  };
}
