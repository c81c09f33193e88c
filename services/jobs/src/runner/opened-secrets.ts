import { inspect } from 'node:util';
import { AppError } from '@signalbox/contracts/errors';
import { redactValue, REDACTED } from '@signalbox/safety/redact/redact';

/** Minimum length of a redacted value: shorter values occur in too many words. */
const MIN_LENGTH = 4;
/** Minimum length of a redacted line or encoded part: shorter parts occur in other words. */
const MIN_PART_LENGTH = 8;

/** Collects the secrets that one execution has opened, and redacts them from its output. */
export function createOpenedSecrets() {
  let forms: readonly string[] = [];
  const replace = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
  return {
    add: (value: string): void => {
      if (value.length < MIN_LENGTH || forms.includes(value)) return;
      // The longest form is replaced first, because one form may contain another.
      forms = [...new Set([...forms, ...formsOf(value)])].sort((one, other) => other.length - one.length);
    },
    /** Replaces secrets and their encodings with `[secret]`. */
    mask: <T>(value: T): T => (forms.length === 0 ? value : redactValue(value, replace)),
    /** Returns the error, or a generic error when its text contains a secret. */
    maskError: (error: unknown, ref: string): unknown => {
      const said = inspect(error, { depth: 6 });
      return replace(said) === said ? error : new AppError('INTERNAL', { ref });
    },
  };
}

export type OpenedSecrets = ReturnType<typeof createOpenedSecrets>;

/** Lists the forms in which programs print a value: plain, JSON, percent-encoded, hexadecimal and base64, and its lines. */
function formsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= MIN_PART_LENGTH && line !== value);
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
    ...[...encoded, strict, small].filter((form) => form.length >= MIN_PART_LENGTH),
  ];
}

/** Base64 depends on surrounding bytes: lists the stable part for three offsets in both alphabets, whole encodings first. */
function base64Of(bytes: Buffer): readonly string[] {
  const parts = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const all = [bytes.toString('base64'), ...parts];
  return [...all, ...all.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
