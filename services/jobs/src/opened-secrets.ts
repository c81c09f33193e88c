import { inspect } from 'node:util';
import { AppError } from '@signalbox/shared/errors';
import { redactValue, SECRET } from '@signalbox/shared/redact/redact';

/** The values that one execution has opened: none of them may be in what it leaves behind, whatever they look like. */
export interface OpenedSecrets {
  add(value: string): void;
  /** The same value with `[secret]` in their places. */
  mask<T>(value: T): T;
  /** The same failure, or one that says nothing when its sentence holds one of them. */
  maskError(error: unknown, ref: string): unknown;
}

/** Shorter values stand in too many words to be left out of a text. */
const SHORTEST = 4;

export function createOpenedSecrets(): OpenedSecrets {
  const values: string[] = [];
  const replace = (text: string): string => values.reduce((rest, value) => rest.replaceAll(value, SECRET), text);
  return {
    add: (value) => {
      if (value.length >= SHORTEST && !values.includes(value)) values.push(value);
    },
    mask: (value) => (values.length === 0 ? value : redactValue(value, replace)),
    maskError: (error, ref) => {
      const said = inspect(error, { depth: 6 });
      return replace(said) === said ? error : new AppError('INTERNAL', { ref });
    },
  };
}
