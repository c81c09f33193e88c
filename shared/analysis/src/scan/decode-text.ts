import { analyse } from 'chardet';

/** Bytes from which the encoding of a longer file is detected. */
const SAMPLE_BYTES = 65_536;
/** Share of control characters above which content is binary; in compressed data it is a tenth. */
const MAX_CONTROLS = 0.01;
const FEW_CONTROLS = 2;
const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/;

/** Why a content has no text: it is binary, or only a pointer to content that Git LFS stores. */
export type NoText = 'not-text' | 'elsewhere';

/** Decodes UTF-8, UTF-16 with or without a mark, and older encodings. Stray NUL bytes become blanks. */
export function decodeText(bytes: Buffer): string | NoTextResult {
  const encoding = detectEncoding(bytes);
  if (encoding === null) return { why: 'not-text' };
  const text = new TextDecoder(encoding).decode(bytes).replaceAll('\0', ' ');
  return LFS_POINTER.test(text) ? { why: 'elsewhere' } : text;
}

export interface NoTextResult {
  readonly why: NoText;
}

/** A part of a long text. `line` is the number of its first line, `wholeFrom` of its first whole line. */
export interface TextPart {
  readonly text: string;
  readonly line: number;
  readonly wholeFrom: number;
}

const PART_LENGTH = 500_000;
/** Length that two parts share, so that no key is cut in both. */
const OVERLAP_LENGTH = 16_000;

/** Yields the text of a content in overlapping parts, so that its whole text is never in memory. Nothing for binary content. */
export function* decodeParts(bytes: Buffer): Generator<TextPart> {
  const encoding = detectEncoding(bytes);
  if (encoding === null) return;
  const decoder = new TextDecoder(encoding);
  let [text, line, wholeFrom] = ['', 1, 1];
  for (let at = 0; at < bytes.length; at += PART_LENGTH) {
    const isLast = at + PART_LENGTH >= bytes.length;
    text += decoder.decode(bytes.subarray(at, at + PART_LENGTH), { stream: !isLast }).replaceAll('\0', ' ');
    yield { text, line, wholeFrom };
    const cut = Math.max(0, text.length - OVERLAP_LENGTH);
    const lineEnd = text.indexOf('\n', cut);
    const next = lineEnd < 0 ? cut : lineEnd + 1;
    line += countLines(text, next);
    wholeFrom = lineEnd < 0 ? line + 1 : line;
    text = text.slice(next);
  }
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Returns a name that TextDecoder knows; null for binary content. */
export function detectEncoding(bytes: Buffer): string | null {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample[0] === 0xff && sample[1] === 0xfe) return 'utf-16le';
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be';
  const wide = detectWide(sample);
  if (wide !== null) return wide;
  if (hasManyControls(sample)) return null;
  if (isUtf8(bytes.length > SAMPLE_BYTES ? sample : bytes, bytes.length > SAMPLE_BYTES)) return 'utf-8';
  const [guess] = analyse(sample).flatMap(({ name }) => toKnownEncoding(name) ?? []);
  return guess ?? 'windows-1252';
}

/** Detects UTF-16 without a mark: ASCII characters have their NUL byte always on the same side. */
function detectWide(sample: Buffer): string | null {
  const nuls = [0, 0];
  for (let at = sample.indexOf(0); at >= 0; at = sample.indexOf(0, at + 1)) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  if (Math.max(even, odd) <= FEW_CONTROLS || Math.min(even, odd) * 20 > Math.max(even, odd)) return null;
  const encoding = odd > even ? 'utf-16le' : 'utf-16be';
  const text = new TextDecoder(encoding).decode(sample.subarray(0, sample.length - (sample.length % 2)));
  const strange = text.match(STRANGE)?.length ?? 0;
  return strange <= Math.max(FEW_CONTROLS, text.length * MAX_CONTROLS) ? encoding : null;
}

/** Characters that texts have hardly any of: controls, unassigned and private ones, and halves of pairs. */
const STRANGE = /(?![\t\n\v\f\r])[\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd]/gu;

function hasManyControls(sample: Buffer): boolean {
  let controls = 0;
  for (const byte of sample) if (byte < 0x20 && !(byte >= 8 && byte <= 13) && byte !== 0x1b) controls += 1;
  return controls > Math.max(FEW_CONTROLS, sample.length * MAX_CONTROLS);
}

function isUtf8(bytes: Buffer, isCut: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

/** Returns the name when TextDecoder knows the encoding. It has no UTF-32, whose texts are full of NUL bytes anyway. */
function toKnownEncoding(name: string): string | null {
  if (/^(?:utf|ascii)/i.test(name)) return null;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}
