import type { PromptContext } from '@signalbox/contracts/governance/execution-turn';

export interface PromptSection {
  readonly name: string;
  readonly heading: string;
  /** The section's lines, the most important first; a line is kept or omitted as a whole. */
  readonly lines: readonly string[];
  readonly more: number;
  /** Where a person or a tool finds the omitted lines. */
  readonly elsewhere: string;
}

/** The maximum length of the prompt's facts, in bytes of UTF-8: a tokenizer makes at most one token of a byte. */
export const MAX_CONTEXT_BYTES = 8_000;

/** The widest count in `and 10,000 more`, to reserve room. */
const COUNT_ROOM = '0,000,000';

/**
 * Joins sections into at most `mostBytes`. Omits and counts lines after the first that does not fit; never cuts a line. Leaves out sections
 * without lines. Pure.
 */
export function fitSections(
  opening: string,
  sections: readonly PromptSection[],
  mostBytes = MAX_CONTEXT_BYTES,
): PromptContext {
  let room = mostBytes - bytesOf(opening) - sections.filter(isFilled).reduce((sum, one) => sum + frameOf(one), 0);
  let isFull = false;
  const fitted = sections.filter(isFilled).map((section) => {
    const shown = section.lines.filter((line) => {
      isFull ||= room < bytesOf(itemOf(line));
      if (!isFull) room -= bytesOf(itemOf(line));
      return !isFull;
    });
    return { section, shown, left: section.lines.length - shown.length + section.more };
  });
  return {
    text: [opening, ...fitted.map(({ section, shown, left }) => write(section, shown, left))].join('\n\n'),
    sections: fitted.map(({ section: { name }, shown, left }) => ({ name, shown: shown.length, left })),
  };
}

function write({ heading, elsewhere }: PromptSection, shown: readonly string[], left: number): string {
  const rest = left > 0 ? [`- and ${left.toLocaleString('en')} more: ${elsewhere}`] : [];
  return `${heading}:\n${[...shown.map((line) => `- ${line}`), ...rest].join('\n')}`;
}

function isFilled({ lines, more }: PromptSection): boolean {
  return lines.length + more > 0;
}

function frameOf({ heading, elsewhere }: PromptSection): number {
  return bytesOf(`\n\n${heading}:\n- and ${COUNT_ROOM} more: ${elsewhere}`);
}

function itemOf(line: string): string {
  return `- ${line}\n`;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
