/** Keeps at most `maxBytes` of all output streams together. */
export class KeptOutput {
  #room: number;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#room = maxBytes;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Creates a buffer for one output stream, or for several whose order matters. */
  stream() {
    const chunks: Buffer[] = [];
    return {
      keep: (bytes: Buffer): void => {
        const part = bytes.subarray(0, this.#room);
        this.#isCut ||= part.length < bytes.length;
        this.#room -= part.length;
        if (part.length > 0) chunks.push(part);
      },
      bytes: (): Buffer => Buffer.concat(chunks),
      /** Returns the output as text that Postgres can store. */
      text: (): string => new TextDecoder().decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD'),
    };
  }
}

/** Returns the end of an output, for a message. */
export function takeLastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-20).join('\n').slice(-2_000);
}
