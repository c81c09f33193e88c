import { writeSync } from 'node:fs';

/*
 * A sink is in one of these modes:
 *   well     it writes each line at once
 *   behind   the last write was refused (full disk, slow reader): lines wait, up to a limit, and later ones are dropped
 *   closed   the reader is gone for good (EPIPE): every line is dropped
 * A writer never waits, and the sink never throws. When it works again, one line says how many lines are missing.
 */

/** How many characters wait for a slow reader or a full disk, at most: some thousand lines. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** As much as a pipe takes at once. */
const MAX_BATCH_BYTES = 64 * 1024;
/** A reader is behind for milliseconds, a disk is full for minutes. */
const READER_RETRY_MS = 20;
const DISK_RETRY_MS = 1_000;
/** After these errors the reader never comes back. */
const CLOSED = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF']);

export interface LineSinkOptions {
  /** Opens a descriptor whose writes do not block. It may throw; the sink then tries it again. */
  readonly open: () => number;
  /** The line that says how many lines were lost. */
  readonly notice: (lines: number, reason: string) => string;
  /** Hears the reason when writing begins to fail, and null when it works again. */
  readonly changed?: (reason: string | null) => void;
}

/** Takes lines, and loses some rather than make a writer wait. */
export class LineSink {
  readonly #options: LineSinkOptions;
  readonly #waiting: string[] = [];
  #waitingLength = 0;
  /** The rest of a batch. It is written before anything else, so no line is torn. */
  #rest: Buffer = Buffer.alloc(0);
  #descriptor: number | null = null;
  #dropped = 0;
  /** Dropped lines that no notice has counted yet. */
  #unreported = 0;
  /** Why writing fails; null while it works. */
  #reason: string | null = null;
  #isClosed = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: LineSinkOptions) {
    this.#options = options;
  }

  /** How many lines were lost since the sink exists. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a line, which ends with a line feed. Never waits, never throws. */
  write(line: string): void {
    if (this.#isClosed || this.#waitingLength + line.length > MAX_WAITING_BYTES) return this.#drop(1);
    this.#reportDropped();
    this.#push(line);
    if (this.#retry === null) this.#writeAndRetry();
  }

  /** Tries for `withinMs` to write what waits. It blocks, so it is for the end of a process. */
  flush(withinMs: number): void {
    const until = performance.now() + withinMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (this.#writeWaiting() === 'soon' && performance.now() < until) Atomics.wait(pause, 0, 0, 5);
  }

  /** Writes what the descriptor takes at once, and nothing afterwards: the descriptor may be closed. */
  close(): void {
    this.#writeWaiting();
    this.#end();
  }

  #writeAndRetry(): void {
    const next = this.#writeWaiting();
    if (next === 'done' || this.#isClosed) return;
    this.#retry = setTimeout(
      () => {
        this.#retry = null;
        this.#writeAndRetry();
      },
      next === 'soon' ? READER_RETRY_MS : DISK_RETRY_MS,
    );
    this.#retry.unref();
  }

  /** Writes as much as the descriptor takes now; answers when to try the rest. */
  #writeWaiting(): 'done' | 'soon' | 'later' {
    while (!this.#isClosed) {
      if (this.#rest.length === 0 && this.#waiting.length === 0) this.#reportDropped();
      if (this.#rest.length === 0) this.#rest = this.#takeBatch();
      if (this.#rest.length === 0) return 'done';
      try {
        this.#descriptor ??= this.#options.open();
        this.#rest = this.#rest.subarray(writeSync(this.#descriptor, this.#rest));
      } catch (error) {
        return this.#fail(error);
      }
      if (this.#rest.length === 0 && this.#reason !== null) {
        this.#reportDropped(); // while the reason is known
        this.#reason = null;
        this.#options.changed?.(null);
      }
    }
    return 'done';
  }

  #takeBatch(): Buffer {
    let batch = '';
    while (batch.length < MAX_BATCH_BYTES) {
      const line = this.#waiting.shift();
      if (line === undefined) break;
      batch += line;
    }
    this.#waitingLength -= batch.length;
    return Buffer.from(batch);
  }

  #fail(error: unknown): 'soon' | 'later' {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'EAGAIN') return 'soon'; // the reader is behind
    if (this.#reason === null) this.#options.changed?.(code);
    this.#reason = code;
    if (CLOSED.has(code)) this.#end();
    return 'later';
  }

  #end(): void {
    this.#isClosed = true;
    this.#drop(this.#waiting.length);
    this.#waiting.length = 0;
    this.#waitingLength = 0;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
  }

  #push(line: string): void {
    this.#waiting.push(line);
    this.#waitingLength += line.length;
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#unreported += lines;
  }

  #reportDropped(): void {
    if (this.#unreported === 0 || this.#isClosed) return;
    this.#push(this.#options.notice(this.#unreported, this.#reason ?? 'the reader was too slow'));
    this.#unreported = 0;
  }
}
