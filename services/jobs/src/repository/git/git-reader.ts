import { once } from 'node:events';
import { startGit } from '../../deploy/source/git.ts';
import { killGroup } from '../../drivers/process/process-table.ts';

const STDERR_LIMIT = 2_000;

/** A bare mirror, which is only read. */
export interface Mirror {
  /** Absolute path. */
  readonly dir: string;
  /** Where git is found. */
  readonly path: string;
  readonly signal: AbortSignal;
}

/** What git prints, cut at NUL or where `cutAt` says, piece by piece and never held as a whole. Throws what git says when it fails. */
export async function* gitPieces(
  mirror: Mirror,
  words: readonly string[],
  { input, cutAt = '\0' }: { readonly input?: string; readonly cutAt?: '\0' | '\n' } = {},
): AsyncGenerator<string> {
  const { dir, path, signal } = mirror;
  const child = startGit({ path, home: dir }, ['-C', dir, ...words], { takesInput: input !== undefined });
  const kill = (): void => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => (stderr = (stderr + bytes.toString('utf8')).slice(-STDERR_LIMIT)));
  const closed = once(child, 'close') as Promise<[number | null]>; // as Node documents the event
  try {
    child.stdin?.on('error', () => undefined); // it ended before it read all of it, which its own end tells
    child.stdin?.end(input);
    let rest = '';
    const decoder = new TextDecoder();
    const output = child.stdout as AsyncIterable<Buffer>; // a pipe, in which no encoding is set
    for await (const bytes of output) {
      const pieces = (rest + decoder.decode(bytes, { stream: true })).split(cutAt);
      rest = pieces.pop() ?? '';
      yield* pieces;
    }
    rest += decoder.decode();
    if (rest !== '') yield rest;
    const [code] = await closed;
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`git ${words[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  } finally {
    signal.removeEventListener('abort', kill);
    if (child.exitCode === null) killGroup(child);
  }
}

/** Reads the contents of objects one after the other from one process. */
export class BlobReader {
  readonly #child;
  readonly #output: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #last: Promise<unknown> = Promise.resolve();

  constructor({ dir, path, signal }: Mirror) {
    this.#child = startGit({ path, home: dir }, ['-C', dir, 'cat-file', '--batch'], { takesInput: true });
    signal.addEventListener('abort', () => this.close(), { once: true });
    this.#child.stdin?.on('error', () => undefined); // its end shows in the output
    this.#child.stderr?.resume();
    const output = this.#child.stdout as AsyncIterable<Buffer>; // a pipe, in which no encoding is set
    this.#output = output[Symbol.asyncIterator]();
  }

  /** Null for an object that the mirror does not have. */
  read(blob: string): Promise<Buffer | null> {
    const read = this.#last.then(() => this.#readNow(blob));
    this.#last = read.catch(() => undefined);
    return read;
  }

  close(): void {
    killGroup(this.#child);
  }

  async #readNow(blob: string): Promise<Buffer | null> {
    this.#child.stdin?.write(`${blob}\n`);
    let end = this.#buffer.indexOf(10);
    while (end < 0) {
      await this.#more();
      end = this.#buffer.indexOf(10);
    }
    const header = this.#buffer.subarray(0, end).toString('latin1');
    this.#buffer = this.#buffer.subarray(end + 1);
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
    if (size === undefined) {
      if (header.endsWith(' missing')) return null;
      throw new Error(`git answers ${header.slice(0, 100)} where a blob was asked for`);
    }
    const whole = Number(size) + 1; // a line end follows the content
    const chunks: Buffer[] = [];
    let have = 0;
    while (have < whole) {
      if (this.#buffer.length === 0) await this.#more();
      const part = this.#buffer.subarray(0, whole - have);
      this.#buffer = this.#buffer.subarray(part.length);
      chunks.push(part);
      have += part.length;
    }
    return Buffer.concat(chunks).subarray(0, whole - 1);
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#output.next();
    if (done) throw new Error('git ended while its objects were read');
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
  }
}
