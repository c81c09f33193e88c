import { killGroup } from '@signalbox/contracts/process-group';
import { startGit, type Mirror } from './start-git.ts';

export interface GitObject {
  readonly kind: 'blob' | 'tree' | 'commit' | 'tag';
  /** Content of the object, cut at `maxBytes`. */
  readonly content: Buffer;
}

/** Reads git objects from one git process, one object at a time, until `close` is called or the signal aborts. */
export class ObjectReader {
  readonly #child;
  readonly #signal: AbortSignal;
  readonly #output: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #last: Promise<unknown> = Promise.resolve();

  constructor({ dir, path, signal }: Mirror) {
    this.#signal = signal;
    this.#child = startGit({ path, home: dir }, ['-C', dir, 'cat-file', '--batch'], { takesInput: true });
    signal.addEventListener('abort', this.close, { once: true });
    this.#child.once('error', this.close); // Without git, the output must end
    this.#child.stdin?.on('error', () => undefined); // When git ends early, the output ends too
    this.#child.stderr?.resume();
    const output = this.#child.stdout as AsyncIterable<Buffer>; // The stream has no encoding, so it yields buffers
    this.#output = output[Symbol.asyncIterator]();
  }

  /** Reads an object by id, or by commit and path (`1f0c…:package.json`). Null when the mirror lacks it. Throws the signal's reason. */
  read(name: string, maxBytes = Infinity): Promise<GitObject | null> {
    const read = this.#last.then(() => this.#readNow(name, maxBytes));
    this.#last = read.catch(() => undefined);
    return read;
  }

  readonly close = (): void => {
    this.#signal.removeEventListener('abort', this.close);
    killGroup(this.#child);
  };

  async #readNow(name: string, maxBytes: number): Promise<GitObject | null> {
    if (name.includes('\n')) return null; // git reads one name per line
    this.#child.stdin?.write(`${name}\n`);
    let end = this.#buffer.indexOf(10);
    while (end < 0) {
      await this.#more();
      end = this.#buffer.indexOf(10);
    }
    const header = this.#buffer.subarray(0, end).toString('utf8');
    this.#buffer = this.#buffer.subarray(end + 1);
    const [, kind, size] = /^[0-9a-f]+ (blob|tree|commit|tag) (\d+)$/.exec(header) ?? [];
    if (size === undefined) {
      if (header === `${name} missing` || header === `${name} ambiguous`) return null;
      throw new Error(`git answers ${header.slice(0, 100)} where an object was asked for`);
    }
    const whole = Number(size) + 1; // git writes a line end after the content
    const wanted = Math.min(whole - 1, maxBytes);
    const chunks: Buffer[] = [];
    let [passed, kept] = [0, 0];
    while (passed < whole) {
      if (this.#buffer.length === 0) await this.#more();
      const part = this.#buffer.subarray(0, whole - passed);
      this.#buffer = this.#buffer.subarray(part.length);
      passed += part.length;
      const keeps = part.subarray(0, wanted - kept);
      if (keeps.length > 0) chunks.push(keeps);
      kept += keeps.length;
    }
    return { kind: kind as GitObject['kind'], content: Buffer.concat(chunks) }; // The pattern above allows only these kinds
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#output.next();
    this.#signal.throwIfAborted();
    if (done) throw new Error('git ended while its objects were read');
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
  }
}
