const ESCAPE = String.fromCharCode(27);
/** What programs write to color a terminal; log excerpts are full of it. */
const TERMINAL_CODES = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');
/** Overrides, embeddings and isolates of writing direction: with them a text can show something else than it says. */
const DIRECTION_CODES = /[\u202a-\u202e\u2066-\u2069]/g;
/** Telegram deletes these line ends, and words would stick together. */
const OTHER_LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const TAB_STOP = 4;

/**
 * The text without what Telegram would take out itself and then count differently, or refuse, and without what makes a text
 * lie: control characters, halves of characters, codes that turn the direction of writing. Tabs become spaces up to the next
 * stop, as Telegram would make one space of each.
 */
export function cleanText(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(TERMINAL_CODES, '')
    .replace(OTHER_LINE_ENDS, '\n')
    .replace(DIRECTION_CODES, '')
    .replace(/[^\P{Cc}\n\t]/gu, '');
  return clean.includes('\t') ? clean.split('\n').map(expandTabs).join('\n') : clean;
}

/** What a person can see in none of: blanks, and characters that are drawn as nothing. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufffc]/u;

/** Whether there is nothing to see in a text. Telegram refuses such messages. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTER = /\p{L}/u;

/** Whether anything in a text is written from right to left. */
export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** Whether a text as a whole is: its first letter decides, as in the rules of Unicode. */
export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? '');
}

/** What stands between these has a direction of its own and leaves the order of its neighbors alone. */
export const ISOLATE = { start: '\u2068', end: '\u2069' } as const;

function expandTabs(line: string): string {
  let column = 0;
  return line
    .split('\t')
    .map((piece, place, all) => {
      column += piece.length;
      if (place === all.length - 1) return piece;
      const blanks = TAB_STOP - (column % TAB_STOP);
      column += blanks;
      return piece + ' '.repeat(blanks);
    })
    .join('');
}
