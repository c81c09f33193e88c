import { canonicalJson } from './canonical.ts';

/** What a person who approves has to see of an action, whole. */
export interface ExactAction {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly resolved?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Stands in front of every line of a value that has several. */
const LINE_MARK = '│';
/** Stands in front of what goes on with the line above. */
const GOES_ON = '┊ ';
/**
 * A wider line goes on in the next one: code is not wrapped by every client, and what stands right of a phone's edge is not read. A
 * channel that cuts a long message then always finds the end of a line to cut at. In columns of a fixed-width font.
 */
const LINE_WIDTH = 30;
const EMPTY = '⟨⟩';

/**
 * The exact action as text: its tool, then every argument by name, a string behind `: ` and anything else as JSON behind `= `. It holds
 * no character that a channel takes out, turns around or does not draw. `readExact` gives back what it was made of. Pure.
 */
export function renderExact({ tool, arguments: args, resolved }: ExactAction): string {
  const lines = [escapeName(tool), ...members('', args), ...members('→ ', resolved ?? {})];
  return lines.flatMap((line) => line.split('\n').flatMap(wrap)).join('\n');
}

/** Reads what `renderExact` wrote. Throws when it did not. */
export function readExact(text: string): ExactAction {
  const [tool = '', ...lines] = text.replaceAll(`\n${GOES_ON}`, '').split('\n');
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
 * A text in which control, direction, invisible and look-alike characters are code points such as `⟨U+202E⟩`. The mark that opens a code
 * is one itself, so `unescapeText` gives back exactly the text. Letters that are written from right to left stay where there is nothing else
 * that they could change places with; beside other letters, numbers or signs they are codes.
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
        return isDoubtful || isUnclear(char, chars[place - 1] ?? '') ? code(char) : char;
      })
      .join('');
  };
  const shown = write(() => false);
  if (!RIGHT_TO_LEFT.test(shown) || ONLY_RIGHT_TO_LEFT.test(shown)) return shown;
  return write((char) => RIGHT_TO_LEFT.test(char));
}

/** The text that `escapeText` was given. */
export function unescapeText(shown: string): string {
  return shown === EMPTY
    ? ''
    : shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/gu, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
}

/** One line for people that was put together from values: nothing in it begins a line, and only code spans are formatting. */
export function escapeLine(text: string): string {
  // The wide marks of Chinese and Japanese look like those of ASCII, which changes nothing in a sentence.
  const parts = RIGHT_TO_LEFT.test(text) ? CODE_SPANS : CODE_SPANS_AND_WIDE_MARKS;
  return text
    .split(parts)
    .map((part, place) => {
      if (WIDE_MARKS.test(part)) return part;
      const shown = part.replace(/[^\n]+/g, escapeText).replaceAll('\n', code('\n'));
      return place % 2 === 1 ? shown : shown.replace(/[\\*_~[\]<>&|#`!]/g, '\\$&').replace(/:\/\//g, '\\://');
    })
    .join('');
}

/** What a person wrote, as a quotation: every line of it is a line of theirs, and begins no list, heading or code. */
export function escapeQuote(text: string): string {
  const lines = text.split('\n').map((line) => escapeLine(line.trim()).replace(/^(?=[-+=])|^\d+(?=[.)])/, '$&\\'));
  return lines.map((line) => `> ${line}`).join('\n');
}

// Only what Markdown takes for one: a longer run of backticks is no end of it, and no beginning.
const CODE_SPANS = /((?<!`)`[^`\n]+`(?!`))/;
const CODE_SPANS_AND_WIDE_MARKS = /((?<!`)`[^`\n]+`(?!`)|[（），：；！？]+)/;
const WIDE_MARKS = /^[（），：；！？]+$/;

/** Text in a code block of its own, where it is nothing but characters. */
export function asCodeBlock(exact: string): string {
  const longest = Math.max(2, ...Array.from(exact.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${exact}\n${fence}`;
}

/** How wide a text is in a fixed-width font. */
export function columnsOf(text: string): number {
  return charactersOf(text).reduce((sum, char) => sum + widthOf(char), 0);
}

/** No one reads more than this, even where all of it is opened; what is longer cannot be approved. In UTF-16 units. */
export const MAX_EXACT_LENGTH = 28_000;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that look like Latin ones; `own`: letters of it that no Latin one looks like. */
const SCRIPTS = [
  { any: /\p{Script=Cyrillic}/u, own: /[бвгджзийлмнптфцчшщъыьэюяБГДЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯђћљњџїєґў]/u },
  { any: /\p{Script=Greek}/u, own: /[βγδεζθλμξπσςφχψωΓΔΘΛΞΠΣΦΨΩά-ώ]/u },
  { any: /\p{Script=Armenian}/u, own: /[ա-ֆ](?<![օսոհցզ])/u },
  { any: /\p{Script=Cherokee}/u, own: /(?!)/u },
] as const;
/** Not drawn, drawn elsewhere, or the mark of a code: controls, formats, surrogates, unassigned, separators but the space, fillers. */
const NEVER = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}⟨⟩\u2800]|(?! )\p{Zs}/u;
/** Drawn like a character of ASCII, and not one. */
const TWIN =
  /[\u2010-\u2012\u2212\u2044\u2215\u29F8\u2216\u29F5\u2236\u02D0\uA789\u01C3\u2223\u01C0\u2024\u02C8\u2032\u02CB\u0131]/u;
/** Blocks of Unicode whose characters turn the order of what stands beside them. */
const TURNING = '\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFC\\u{10800}-\\u{10FFF}\\u{1E800}-\\u{1EFFF}';
const RIGHT_TO_LEFT = new RegExp(`[${TURNING}]`, 'u');
/** A sentence in such a script: read from its right end, and nothing in it is read the other way. */
const ONLY_RIGHT_TO_LEFT = new RegExp(`^[${TURNING}](?!.*\\p{N})[${TURNING} .,!?-]*(?<! )$`, 'u');
/** More accents on one letter are drawn over the lines around it. */
const MAX_MARKS = 3;
const UNUSUAL = /[^\x21-\x7e ]/u;
const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;

/** Where letters stand that are read as Latin ones: in a word with others, or in one where nothing says otherwise. */
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
  if (NEVER.test(char) || TWIN.test(char) || /^[\x20-\x7e]$/.test(char.normalize('NFKC'))) return true;
  if ((before + char).normalize('NFC') !== before + char) return true;
  return /\p{M}/u.test(char) && !/[\p{L}\p{M}\p{N}]/u.test(before);
}

/** A family is one picture, and so is a heart in its color. */
function isPartOfPicture(chars: readonly string[], place: number): boolean {
  const before = chars[place - 1] ?? '';
  if (chars[place] === '\uFE0F') return /\p{Extended_Pictographic}/u.test(before) && before > '\u00FF';
  const isPicture = PICTURE.test(before) || (before === '\uFE0F' && PICTURE.test(chars[place - 2] ?? ''));
  return chars[place] === '\u200D' && isPicture && PICTURE.test(chars[place + 1] ?? '');
}

/** Whether a mark stands on a letter that has as many as can be read. */
function isStacked(chars: readonly string[], place: number): boolean {
  return (
    chars.slice(Math.max(0, place - MAX_MARKS), place + 1).filter((char) => /\p{M}/u.test(char)).length > MAX_MARKS
  );
}

function code(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function escapeName(name: string): string {
  return name === '' ? EMPTY : escapeText(name).replace(/[:= \n│]/g, code);
}

function members(mark: string, values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      const head = `${mark}${escapeName(name)}`;
      if (typeof value !== 'string') return `${head}= ${escapeText(canonicalJson(value))}`;
      if (!value.includes('\n')) return `${head}: ${value === '' ? EMPTY : escapeEnds(value)}`;
      return [`${head}:`, ...value.split('\n').map((line) => `${LINE_MARK} ${escapeEnds(line) || EMPTY}`)].join('\n');
    });
}

/** Spaces at an end are not seen, so they are codes. */
function escapeEnds(text: string): string {
  return escapeText(text)
    .replace(/ +$/, (spaces) => code(' ').repeat(spaces.length))
    .replace(/^ /, code(' '));
}

/** A line as several that a phone shows whole: cut before a blank if one is near; no code and no character that people see is cut. */
function wrap(line: string): readonly string[] {
  const lines: string[] = [];
  let room = LINE_WIDTH;
  let piece: string[] = [];
  const end = (next: readonly string[]): void => {
    // A blank at a cut would not be seen.
    lines.push(piece.join('').replace(/ $/, code(' ')));
    piece = [...next];
    room = LINE_WIDTH - GOES_ON.length;
  };
  let used = 0;
  for (const char of charactersOf(line)) {
    const width = widthOf(char);
    if (used + width > room && piece.length > 0) {
      const blank = piece.lastIndexOf(' ');
      const cut = blank > piece.length / 2 && piece[blank - 1] !== ' ' ? blank : piece.length;
      const rest = piece.slice(cut);
      piece = piece.slice(0, cut);
      end(rest);
      used = rest.reduce((sum, one) => sum + widthOf(one), 0);
    }
    piece.push(char);
    used += width;
  }
  end([]);
  return lines.map((one, place) => (place === 0 ? one : GOES_ON + one));
}

/** Codes, and characters as people see them. */
function charactersOf(line: string): readonly string[] {
  return (line.match(/⟨[^⟩]*⟩|[^⟨]+/gu) ?? []).flatMap((part) => {
    if (part.startsWith('⟨')) return [part];
    if (!UNUSUAL.test(part)) return part.split('');
    const seen = Array.from(SEGMENTER.segment(part), ({ segment }) => segment);
    return seen.flatMap((one) => (one.length > LONGEST ? Array.from(one) : [one]));
  });
}

function widthOf(char: string): number {
  if (char.startsWith('⟨')) return char.length;
  return WIDE.test(char) ? 2 : 1;
}

const SEGMENTER = new Intl.Segmenter();
/** A family of emoji; what is longer is no picture. In UTF-16 units. */
const LONGEST = 30;
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
