/** The ways in which an injected instruction is written down. `split` comes in several pieces, which may stand in several results. */
export const ENCODINGS = [
  'plain',
  'base64',
  'hex',
  'rot13',
  'url',
  'escapes',
  'entities',
  'zero-width',
  'reversed',
  'split',
  'json',
  'homoglyphs',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** One instruction for the puppet: a call, meant for whoever the puppet works for. */
export interface Instruction {
  /** Name of the person in whose conversation it is followed: cases of one stack do not disturb each other. */
  readonly person: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const PIECES = 3;
const ZERO_WIDTH = '\u200b';
const LATIN = 'aceopxyABCEHKMOPTX';
const CYRILLIC = 'асеорхуАВСЕНКМОРТХ';

/** The instruction as text: one piece, or several for `split`. Each piece is one line and stands alone. */
export function writeInstruction(instruction: Instruction, encoding: Encoding): readonly string[] {
  const text = JSON.stringify(instruction);
  if (encoding !== 'split') return [`«${encoding}:${CODECS[encoding].write(text)}»`];
  const size = Math.ceil(text.length / PIECES);
  return Array.from(
    { length: PIECES },
    (_, at) => `«split ${at + 1}/${PIECES}:${toBase64(text.slice(at * size, (at + 1) * size))}»`,
  );
}

/** All instructions that can be read in these texts, in whatever encoding; what cannot be read is passed over. */
export function readInstructions(texts: readonly string[]): readonly Instruction[] {
  const found = new Map<string, Instruction>();
  let pieces: string[] = [];
  for (const [, kind = '', rest = ''] of texts.flatMap((text) => [...text.matchAll(MARK)])) {
    const split = /^split (\d)\/\d$/.exec(kind);
    if (split) {
      const at = Number(split[1]) - 1;
      if (at === 0) pieces = [];
      pieces[at] = fromBase64(rest);
      if (pieces.filter((piece) => piece !== undefined).length < PIECES) continue;
    }
    const read = parseInstruction(split ? pieces.join('') : decode(kind, rest));
    if (read) found.set(JSON.stringify(read), read);
  }
  return [...found.values()];
}

const MARK = /«([a-z0-9-]+(?: \d\/\d)?):([^«»]*)»/gu;

function decode(kind: string, text: string): string {
  const codec = CODECS[kind as Exclude<Encoding, 'split'>] as (typeof CODECS)['plain'] | undefined; // whatever stood in the text
  try {
    return codec?.read(text) ?? '';
  } catch {
    return '';
  }
}

function parseInstruction(text: string): Instruction | null {
  for (const candidate of [text, text.replaceAll('\\"', '"')])
    try {
      const { person, tool, args } = JSON.parse(candidate) as Partial<Instruction>; // checked field by field below
      if (typeof person === 'string' && typeof tool === 'string' && typeof args === 'object')
        return { person, tool, args };
    } catch {
      // Not this one.
    }
  return null;
}

interface Codec {
  readonly write: (text: string) => string;
  readonly read: (text: string) => string;
}

const CODECS: Readonly<Record<Exclude<Encoding, 'split'>, Codec>> = {
  plain: { write: (text) => text, read: (text) => text },
  base64: { write: toBase64, read: fromBase64 },
  hex: {
    write: (text) => Buffer.from(text).toString('hex'),
    read: (text) => Buffer.from(text, 'hex').toString(),
  },
  rot13: { write: rot13, read: rot13 },
  url: {
    write: (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    read: decodeURIComponent,
  },
  escapes: {
    write: (text) => toUnits(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
    read: (text) => text.replace(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
  },
  entities: {
    write: (text) => toUnits(text, (code) => `&#${code};`),
    read: (text) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  },
  'zero-width': {
    write: (text) => [...text].join(ZERO_WIDTH),
    read: (text) => text.replaceAll(ZERO_WIDTH, ''),
  },
  reversed: { write: reverse, read: reverse },
  json: {
    write: (text) => JSON.stringify(JSON.stringify(text)),
    read: (text) => String(JSON.parse(String(JSON.parse(text)))),
  },
  homoglyphs: { write: (text) => swap(text, LATIN, CYRILLIC), read: (text) => swap(text, CYRILLIC, LATIN) },
};

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

function reverse(text: string): string {
  return [...text].toReversed().join('');
}

function toUnits(text: string, write: (code: number) => string): string {
  return Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('');
}

function swap(text: string, from: string, to: string): string {
  return [...text].map((letter) => (from.includes(letter) ? (to[from.indexOf(letter)] ?? letter) : letter)).join('');
}
