import type { Readable } from 'node:stream';

export interface Captured {
  /** Keeps what comes, in the order of arrival, up to the limit; the rest is read and dropped. */
  follow(stream: Readable): void;
  /** What was kept, as text that Postgres can hold, and whether something is missing. */
  read(): { readonly output: string; readonly cut: boolean };
}

/** Collects the output of a command: at most `limitBytes` bytes of all streams together. */
export function captureOutput(limitBytes: number): Captured {
  const chunks: Buffer[] = [];
  let keptBytes = 0;
  let cut = false;
  return {
    follow: (stream) => {
      stream.on('error', () => undefined); // a killed process; its end is reported by the process itself
      stream.on('data', (chunk: Buffer) => {
        const kept = chunk.subarray(0, limitBytes - keptBytes);
        if (kept.length < chunk.length) cut = true;
        if (kept.length === 0) return;
        chunks.push(kept);
        keptBytes += kept.length;
      });
    },
    read: () => ({ output: new TextDecoder().decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD'), cut }),
  };
}
