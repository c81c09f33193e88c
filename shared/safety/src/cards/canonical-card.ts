import { toCanonicalJson } from './canonical.ts';

/** The complete action that an approver has to see. */
export interface ExactAction {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly resolved?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Prefix of each line of a multi-line value. */
const LINE_MARK = '│';
/** Prefix of a wrapped line. */
const CONTINUATION = '┊ ';
/**
 * Columns of a line in a fixed-width font. Longer lines are wrapped, because not every client wraps code, and channels that split
 * messages need line ends.
 */
const LINE_WIDTH = 30;
const EMPTY = '⟨⟩';

/**
 * Renders an action as text: the tool, then each argument by name, strings after `: ` and other values as JSON after `= `. The text has
 * no character that a channel removes, reorders or hides. `parseExactAction` reverses it. Pure.
 */
export function renderExactAction({ tool, arguments: args, resolved }: ExactAction): string {
  const lines = [escapeName(tool), ...members('', args), ...members('→ ', resolved ?? {})];
  return lines.flatMap((line) => line.split('\n').flatMap(wrap)).join('\n');
}

/** Parses the output of `renderExactAction`. Throws for other text. */
export function parseExactAction(text: string): ExactAction {
  const [tool = '', ...lines] = text.replaceAll(`\n${CONTINUATION}`, '').split('\n');
  const read = { arguments: {} as Record<string, unknown>, resolved: {} as Record<string, unknown> };
  for (let at = 0; at < lines.length; at += 1) {
    const match = /^(→ )?([^:= ]*)(?:(:)$|(: |= )(.*)$)/u.exec(lines[at] ?? '');
    if (!match) throw new Error(`this is no line of an exact action: ${lines[at] ?? ''}`);
    const [, arrow, name = '', several, mark, shown = ''] = match;
    const parts: string[] = [];
    if (several) while (lines[at + 1]?.startsWith(LINE_MARK)) parts.push((lines[(at += 1)] ?? '').slice(2));
    const value = several ? parts.map(unescapeText).join('\n') : unescapeText(shown);
    Object.defineProperty(arrow ? read.resolved : read.arguments, unescapeText(name), {
      value: mark === '= ' ? (JSON.parse(value) as unknown) : value,
      enumerable: true,
    });
  }
  return { tool: unescapeText(tool), ...read };
}

/**
 * Replaces control, direction, invisible and look-alike characters by code points such as `⟨U+202E⟩`, reversibly: the opening mark itself
 * is escaped. Right-to-left letters stay when the text has nothing that they could be reordered with.
 */
export function escapeText(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const doubtful = findDoubtful(text);
  const chars = Array.from(text);
  const write = (isTurning: (char: string) => boolean): string => {
    let offset = 0;
    return chars
      .map((char, place) => {
        const at = offset;
        offset += char.length;
        if ((char <= '~' && char >= ' ') || isPartOfPicture(chars, place)) return char;
        const isDoubtful = doubtful.has(at) || isTurning(char) || isStacked(chars, place);
        return isDoubtful || isUnclear(char, chars[place - 1] ?? '') ? toCodePoint(char) : char;
      })
      .join('');
  };
  const shown = write(() => false);
  if (!RIGHT_TO_LEFT.test(shown) || ONLY_RIGHT_TO_LEFT.test(shown)) return shown;
  return write((char) => RIGHT_TO_LEFT.test(char));
}

export function unescapeText(shown: string): string {
  return shown === EMPTY
    ? ''
    : shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/gu, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
}

/** Escapes a line that contains values: it stays one line, and only code spans are formatting. */
export function escapeLine(text: string): string {
  // Full-width Chinese and Japanese punctuation resembles ASCII, which is harmless in a sentence.
  const parts = RIGHT_TO_LEFT.test(text) ? CODE_SPANS : CODE_SPANS_AND_WIDE_MARKS;
  return text
    .split(parts)
    .map((part, place) => {
      if (WIDE_MARKS.test(part)) return part;
      const shown = part.replace(/[^\n]+/g, escapeText).replaceAll('\n', toCodePoint('\n'));
      return place % 2 === 1 ? shown : shown.replace(/[\\*_~[\]<>&|#`!]/g, '\\$&').replace(/:\/\//g, '\\://');
    })
    .join('');
}

/** Quotes a person's text: every line is quoted and starts no list, heading or code. */
export function escapeQuote(text: string): string {
  const lines = text.split('\n').map((line) => escapeLine(line.trim()).replace(/^(?=[-+=])|^\d+(?=[.)])/, '$&\\'));
  return lines.map((line) => `> ${line}`).join('\n');
}

// Matches code spans as markdown reads them: longer runs of backticks neither start nor end a span.
const CODE_SPANS = /((?<!`)`[^`\n]+`(?!`))/;
const CODE_SPANS_AND_WIDE_MARKS = /((?<!`)`[^`\n]+`(?!`)|[（），：；！？]+)/;
const WIDE_MARKS = /^[（），：；！？]+$/;

/** Wraps text in a code block, where nothing is formatting. */
export function asCodeBlock(exact: string): string {
  const longest = Math.max(2, ...Array.from(exact.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${exact}\n${fence}`;
}

/** Counts the columns that a text takes in a fixed-width font. */
export function countColumns(text: string): number {
  return splitCharacters(text).reduce((sum, char) => sum + getWidth(char), 0);
}

/** Maximum length of an action that can be approved, in UTF-16 units: nobody reads more. */
export const MAX_ACTION_LENGTH = 28_000;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that look like Latin letters; `own` matches the letters that do not. */
const SCRIPTS = [
  { any: /\p{Script=Cyrillic}/u, own: /[бвгджзийлмнптфцчшщъыьэюяБГДЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯђћљњџїєґў]/u },
  { any: /\p{Script=Greek}/u, own: /[βγδεζθλμξπσςφχψωΓΔΘΛΞΠΣΦΨΩά-ώ]/u },
  { any: /\p{Script=Armenian}/u, own: /[ա-ֆ](?<![օսոհցզ])/u },
  { any: /\p{Script=Cherokee}/u, own: /(?!)/u },
] as const;
/**
 * Matches characters that are always escaped: controls, formats, surrogates, unassigned, separators except the space, fillers, and the
 * escape marks.
 */
const ALWAYS_ESCAPED = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}⟨⟩\u2800]|(?! )\p{Zs}/u;
/** Matches characters that look like ASCII characters. */
const LOOKS_ASCII =
  /[\u2010-\u2012\u2212\u2044\u2215\u29F8\u2216\u29F5\u2236\u02D0\uA789\u01C3\u2223\u01C0\u2024\u02C8\u2032\u02CB\u0131]/u;
const TURNING = '\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFC\\u{10800}-\\u{10FFF}\\u{1E800}-\\u{1EFFF}';
const RIGHT_TO_LEFT = new RegExp(`[${TURNING}]`, 'u');
/** Matches a text of right-to-left letters and neutral punctuation only. */
const ONLY_RIGHT_TO_LEFT = new RegExp(`^[${TURNING}](?!.*\\p{N})[${TURNING} .,!?-]*(?<! )$`, 'u');
/** Maximum accents on a letter: more would overlap the lines around it. */
const MAX_MARKS = 3;
const UNUSUAL = /[^\x21-\x7e ]/u;
const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;

/** Finds the offsets of letters that could be taken for Latin: in words of mixed scripts, or in texts without a letter unlike Latin. */
function findDoubtful(text: string): ReadonlySet<number> {
  const doubtful = new Set<number>();
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const scripts = SCRIPTS.filter((script) => script.any.test(word));
    const isMixed = scripts.length + (LATIN.test(word) ? 1 : 0) > 1;
    if (!isMixed && scripts.every((script) => script.own.test(text))) continue;
    for (const { 0: char, index: at } of word.matchAll(/./gsu))
      if (scripts.some((script) => script.any.test(char))) doubtful.add(index + at);
  }
  return doubtful;
}

function isUnclear(char: string, before: string): boolean {
  if (ALWAYS_ESCAPED.test(char) || LOOKS_ASCII.test(char) || /^[\x20-\x7e]$/.test(char.normalize('NFKC'))) return true;
  if ((before + char).normalize('NFC') !== before + char) return true;
  return /\p{M}/u.test(char) && !/[\p{L}\p{M}\p{N}]/u.test(before);
}

/** True for joiners and selectors within an emoji, such as a family or a colored heart. */
function isPartOfPicture(chars: readonly string[], place: number): boolean {
  const before = chars[place - 1] ?? '';
  if (chars[place] === '\uFE0F') return /\p{Extended_Pictographic}/u.test(before) && before > '\u00FF';
  const isPicture = PICTURE.test(before) || (before === '\uFE0F' && PICTURE.test(chars[place - 2] ?? ''));
  return chars[place] === '\u200D' && isPicture && PICTURE.test(chars[place + 1] ?? '');
}

function isStacked(chars: readonly string[], place: number): boolean {
  return (
    chars.slice(Math.max(0, place - MAX_MARKS), place + 1).filter((char) => /\p{M}/u.test(char)).length > MAX_MARKS
  );
}

function toCodePoint(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function escapeName(name: string): string {
  return name === '' ? EMPTY : escapeText(name).replace(/[:= \n│]/g, toCodePoint);
}

function members(mark: string, values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      const head = `${mark}${escapeName(name)}`;
      if (typeof value !== 'string') return `${head}= ${escapeText(toCanonicalJson(value))}`;
      if (!value.includes('\n')) return `${head}: ${value === '' ? EMPTY : escapeEnds(value)}`;
      return [`${head}:`, ...value.split('\n').map((line) => `${LINE_MARK} ${escapeEnds(line) || EMPTY}`)].join('\n');
    });
}

function escapeEnds(text: string): string {
  return escapeText(text)
    .replace(/ +$/, (spaces) => toCodePoint(' ').repeat(spaces.length))
    .replace(/^ /, toCodePoint(' '));
}

/** Wraps a line to a phone's width, preferably before a blank, never within an escape or a visible character. */
function wrap(line: string): readonly string[] {
  const lines: string[] = [];
  let room = LINE_WIDTH;
  let piece: string[] = [];
  const end = (next: readonly string[]): void => {
    // A blank at a line end would be invisible.
    lines.push(piece.join('').replace(/ $/, toCodePoint(' ')));
    piece = [...next];
    room = LINE_WIDTH - CONTINUATION.length;
  };
  let used = 0;
  for (const char of splitCharacters(line)) {
    const width = getWidth(char);
    if (used + width > room && piece.length > 0) {
      const blank = piece.lastIndexOf(' ');
      const cut = blank > piece.length / 2 && piece[blank - 1] !== ' ' ? blank : piece.length;
      const rest = piece.slice(cut);
      piece = piece.slice(0, cut);
      end(rest);
      used = rest.reduce((sum, char) => sum + getWidth(char), 0);
    }
    piece.push(char);
    used += width;
  }
  end([]);
  return lines.map((text, index) => (index === 0 ? text : CONTINUATION + text));
}

function splitCharacters(line: string): readonly string[] {
  return (line.match(/⟨[^⟩]*⟩|[^⟨]+/gu) ?? []).flatMap((part) => {
    if (part.startsWith('⟨')) return [part];
    if (!UNUSUAL.test(part)) return part.split('');
    const seen = Array.from(SEGMENTER.segment(part), ({ segment }) => segment);
    return seen.flatMap((segment) => (segment.length > MAX_EMOJI_LENGTH ? Array.from(segment) : [segment]));
  });
}

function getWidth(char: string): number {
  if (char.startsWith('⟨')) return char.length;
  return WIDE.test(char) ? 2 : 1;
}

const SEGMENTER = new Intl.Segmenter();
/** Maximum length of an emoji sequence, in UTF-16 units. */
const MAX_EMOJI_LENGTH = 30;
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
