import type { LogLine } from '@signalbox/contracts/operations/deploy';

/** Longer lines are cut into pieces of this length. */
const LONGEST = 16_384;

/** Splits the bytes of a stream into lines, without NUL, which Postgres cannot store. */
export function splitLines(stream: LogLine['stream'], onLine: (line: LogLine) => void) {
  const decoder = new TextDecoder();
  let rest = '';
  const give = (text: string): void => {
    for (let at = 0; at === 0 || at < text.length; at += LONGEST)
      onLine({
        at: new Date().toISOString(),
        stream,
        line: text.slice(at, at + LONGEST).replaceAll('\0', '\uFFFD'),
      });
  };
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) give(line.replace(/\r$/, ''));
    if (rest.length > LONGEST) {
      give(rest);
      rest = '';
    }
  };
  return {
    /** Accepts chunks of bytes; a character may span two of them. */
    write: (bytes: Uint8Array): void => take(decoder.decode(bytes, { stream: true })),
    /** Emits the rest without a line break. */
    end: (): void => {
      take(decoder.decode());
      if (rest !== '') give(rest);
      rest = '';
    },
  };
}
