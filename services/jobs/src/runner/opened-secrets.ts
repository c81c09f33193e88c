import { inspect } from 'node:util';
import { AppError } from '@signalbox/contracts/errors';
import { redactValue, SECRET } from '@signalbox/safety/redact/redact';

/** Shorter values stand in too many words to be left out of a text. */
const SHORTEST = 4;
/** A line of a value, or what is left of it in base 64, has to be so long: shorter ones stand in other words too. */
const SHORTEST_PART = 8;

/** The values that one execution has opened: none of them may be in what it leaves behind, whatever they look like. */
export function createOpenedSecrets() {
  let forms: readonly string[] = [];
  const replace = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, SECRET), text);
  return {
    add: (value: string): void => {
      if (value.length < SHORTEST || forms.includes(value)) return;
      // The longest first: one of them may hold another, and what would be left of it says something.
      forms = [...new Set([...forms, ...formsOf(value)])].sort((one, other) => other.length - one.length);
    },
    /** The same value with `[secret]` in their places, also in those of their encodings. */
    mask: <T>(value: T): T => (forms.length === 0 ? value : redactValue(value, replace)),
    /** The same failure, or one that says nothing when its sentence holds one of them. */
    maskError: (error: unknown, ref: string): unknown => {
      const said = inspect(error, { depth: 6 });
      return replace(said) === said ? error : new AppError('INTERNAL', { ref });
    },
  };
}

export type OpenedSecrets = ReturnType<typeof createOpenedSecrets>;

/** What programs make of a value when they print it: as it is, in JSON, percent-encoded, in hexadecimal, in base 64; and its lines. */
function formsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= SHORTEST_PART && line !== value);
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(value);
  const encoded = [hex, hex.toUpperCase(), percent, percent.replaceAll('%20', '+'), ...base64Of(bytes)];
  const strict = percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const small = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    ...lines,
    ...[...encoded, strict, small].filter((form) => form.length >= SHORTEST_PART),
  ];
}

/**
 * What base 64 makes of it depends on what stands before and after: the part that does not, for each of three places, in both
 * alphabets. Whole encodings come first, with their padding.
 */
function base64Of(bytes: Buffer): readonly string[] {
  const parts = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const all = [bytes.toString('base64'), ...parts];
  return [...all, ...all.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
