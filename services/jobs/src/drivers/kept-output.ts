/** One stream of a program's output, or several that share an order. */
export interface KeptStream {
  /** Keeps what comes, up to the limit; the rest is dropped. */
  readonly keep: (bytes: Buffer) => void;
  readonly bytes: () => Buffer;
  /** As text that Postgres can hold. */
  readonly text: () => string;
}

/** Keeps at most `maxBytes` of what a program writes, of all its streams together. */
export class KeptOutput {
  #room: number;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#room = maxBytes;
  }

  /** Whether something is missing. */
  get isCut(): boolean {
    return this.#isCut;
  }

  stream(): KeptStream {
    const chunks: Buffer[] = [];
    return {
      keep: (bytes) => {
        const part = bytes.subarray(0, this.#room);
        this.#isCut ||= part.length < bytes.length;
        this.#room -= part.length;
        if (part.length > 0) chunks.push(part);
      },
      bytes: () => Buffer.concat(chunks),
      text: () => new TextDecoder().decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD'),
    };
  }
}
