const ESCAPE = String.fromCharCode(27);
/** Escape sequences for terminal colors, which log excerpts often contain. */
const TERMINAL_CODES = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');
/** Direction overrides, embeddings and isolates, with which a text can show something else than it says. */
const DIRECTION_CODES = /[\u202a-\u202e\u2066-\u2069]/g;
/** Line ends that Telegram deletes, which would join words. */
const OTHER_LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const TAB_STOP = 4;

/** Removes control and direction characters, which Telegram refuses or which disguise a text. Tabs become spaces. */
export function cleanText(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(TERMINAL_CODES, '')
    .replace(OTHER_LINE_ENDS, '\n')
    .replace(DIRECTION_CODES, '')
    .replace(/[^\P{Cc}\n\t]/gu, '');
  return clean.includes('\t') ? clean.split('\n').map(expandTabs).join('\n') : clean;
}

/** Removes NUL and half surrogate pairs, which Postgres does not store. */
export function removeUnstorable(text: string): string {
  return Buffer.from(text.replaceAll('\u0000', '')).toString();
}

/** A character that is neither blank nor drawn as nothing. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufffc]/u;

/** True when nothing in the text is visible. Telegram refuses such messages. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTER = /\p{L}/u;

export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** True when a text runs from right to left: its first letter decides, as in Unicode. */
export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? '');
}

/** Put around a text, these keep its direction from reordering its neighbors. */
export const DIRECTION_ISOLATE = { start: '\u2068', end: '\u2069' } as const;

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
