import { IntlMessageFormat } from 'intl-messageformat';

const compiled = new Map<string, IntlMessageFormat>();

/** Fills in a sentence of the catalog, in ICU MessageFormat. Runs in browsers too. Throws when a value is missing. */
export function formatSentence(
  sentence: string,
  values: Readonly<Record<string, string | number | boolean>>,
  language: string,
): string {
  const key = `${language} ${sentence}`;
  let format = compiled.get(key);
  if (!format) {
    format = new IntlMessageFormat(sentence, language, undefined, { ignoreTag: true });
    compiled.set(key, format);
  }
  return String(format.format({ ...values }));
}
