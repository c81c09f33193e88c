import type { LogLine } from '@signalbox/contracts/operations/deploy';

/** Maximum length of a line; a longer line is cut into several. */
const MAX_LINE_LENGTH = 16_384;

/** Splits the bytes of a stream into lines, and replaces NUL characters, which Postgres cannot store. */
export function splitLines(stream: LogLine['stream'], onLine: (line: LogLine) => void) {
  const decoder = new TextDecoder();
  let rest = '';
  const give = (text: string): void => {
    for (let at = 0; at === 0 || at < text.length; at += MAX_LINE_LENGTH)
      onLine({
        at: new Date().toISOString(),
        stream,
        line: text.slice(at, at + MAX_LINE_LENGTH).replaceAll('\0', '\uFFFD'),
      });
  };
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) give(line.replace(/\r$/, ''));
    if (rest.length > MAX_LINE_LENGTH) {
      give(rest);
      rest = '';
    }
  };
  return {
    /** Accepts a chunk of bytes; a character may span two chunks. */
    write: (bytes: Uint8Array): void => take(decoder.decode(bytes, { stream: true })),
    /** Emits the last line when the stream ended without a line break. */
    end: (): void => {
      take(decoder.decode());
      if (rest !== '') give(rest);
      rest = '';
    },
  };
}
