/** Reads a stream of bytes in pieces of given lengths. Throws when it ends in the middle of one. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Reads exactly `length` bytes. */
  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw new Error('it ends too early');
      const part = this.#rest.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Reads up to and with the next line break, at most `limit` bytes. */
  async readLine(limit: number): Promise<Buffer> {
    const bytes: Buffer[] = [];
    for (let n = 0; n < limit; n += 1) {
      const byte = await this.read(1);
      bytes.push(byte);
      if (byte[0] === 0x0a) return Buffer.concat(bytes);
    }
    throw new Error('its first line does not end');
  }

  /** True when nothing is left. */
  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#fill());
  }

  async #fill(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#source.next();
      if (done) return false;
      if (value.length === 0) continue;
      this.#rest = value;
      return true;
    }
  }
}
