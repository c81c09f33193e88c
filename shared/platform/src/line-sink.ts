import { writeSync } from 'node:fs';

/*
 * A sink is in one of these modes:
 *   working  it writes each line at once
 *   behind   the last write was refused (full disk, slow reader): lines wait, up to a limit, and later ones are dropped
 *   closed   the reader is gone for good (EPIPE): every line is dropped
 * A writer never waits, and the sink never throws. When it works again, one line says how many lines are missing.
 */

/** Maximum size of lines that wait to be written: several thousand lines. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Maximum size of one write: the capacity of a Linux pipe. */
const MAX_BATCH_BYTES = 64 * 1024;
/** Pause before writing again: a slow reader catches up in milliseconds, a full disk lasts minutes. */
const READER_RETRY_MS = 20;
const DISK_RETRY_MS = 1_000;
/** Errors after which the reader never comes back. */
const FINAL_ERRORS = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF']);

export interface LineSinkOptions {
  /** Opens a descriptor whose writes do not block. When it throws, the sink tries again later. */
  readonly open: () => number;
  /** Formats the line that says how many lines were lost. */
  readonly formatNotice: (lines: number, reason: string) => string;
  /** Called with the reason when writing begins to fail, and with null when writing works again. */
  readonly onChange?: (reason: string | null) => void;
}

/** Writes lines to a descriptor without ever blocking; drops lines when the buffer is full. */
export class LineSink {
  readonly #options: LineSinkOptions;
  readonly #waiting: string[] = [];
  #waitingLength = 0;
  /** The unwritten rest of the last batch, which is written first, so that no line is torn. */
  #rest: Buffer = Buffer.alloc(0);
  #descriptor: number | null = null;
  #dropped = 0;
  /** Dropped lines that no notice has reported yet. */
  #unreported = 0;
  /** The reason why writing fails; null while writing works. */
  #reason: string | null = null;
  #isClosed = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: LineSinkOptions) {
    this.#options = options;
  }

  /** The number of lines dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Queues a line, which must end with a line feed. Never blocks, never throws. */
  write(line: string): void {
    if (this.#isClosed || this.#waitingLength + line.length > MAX_WAITING_BYTES) return this.#drop(1);
    this.#reportDropped();
    this.#push(line);
    if (this.#retry === null) this.#writeAndRetry();
  }

  /** Blocks for at most `withinMs` to write the buffered lines: only for the end of a process. */
  flush(withinMs: number): void {
    const until = performance.now() + withinMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (this.#writeWaiting() === 'soon' && performance.now() < until) Atomics.wait(pause, 0, 0, 5);
  }

  /** Writes what fits without waiting, then never writes again: the descriptor may be closed afterwards. */
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

  /** Writes as much as the descriptor takes now. Returns when to try the rest. */
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
        this.#reportDropped(); // the notice needs the reason, which is reset next
        this.#reason = null;
        this.#options.onChange?.(null);
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
    if (this.#reason === null) this.#options.onChange?.(code);
    this.#reason = code;
    if (FINAL_ERRORS.has(code)) this.#end();
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
    this.#push(this.#options.formatNotice(this.#unreported, this.#reason ?? 'the reader was too slow'));
    this.#unreported = 0;
  }
}
