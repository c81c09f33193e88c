const ESCAPE = String.fromCharCode(27);
/** Escape sequences for terminal colors, frequent in log excerpts. */
const TERMINAL_CODES = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');
/** Direction overrides, embeddings and isolates, with which a text can show something else than it says. */
const DIRECTION_CODES = /[\u202a-\u202e\u2066-\u2069]/g;
/** Line ends that Telegram deletes, joining words. */
const OTHER_LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const TAB_STOP = 4;

/**
 * Removes what Telegram would remove or refuse, and what can disguise a text: control characters, half characters,
 * direction codes. Tabs become spaces up to the next stop.
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

/** Any visible character: neither blank nor drawn as nothing. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufffc]/u;

/** True when nothing in the text is visible. Telegram refuses such messages. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTER = /\p{L}/u;

/** True when a text contains right-to-left script. */
export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** True when a text runs from right to left: its first letter decides, as in Unicode. */
export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? '');
}

/** Isolates: text between them has its own direction and does not reorder its neighbors. */
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
