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

  /** One stream of its output, or several that share an order. */
  stream() {
    const chunks: Buffer[] = [];
    return {
      /** Keeps what comes, up to the limit; the rest is dropped. */
      keep: (bytes: Buffer): void => {
        const part = bytes.subarray(0, this.#room);
        this.#isCut ||= part.length < bytes.length;
        this.#room -= part.length;
        if (part.length > 0) chunks.push(part);
      },
      bytes: (): Buffer => Buffer.concat(chunks),
      /** As text that Postgres can hold. */
      text: (): string => new TextDecoder().decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD'),
    };
  }
}

/** The end of what a program wrote, as a message shows it. */
export function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-20).join('\n').slice(-2_000);
}
