import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync } from 'node:fs';

/** The catalog: a folder with one folder per language. */
export const CATALOG_URL = new URL('./languages/', import.meta.url);
/** The language of people without a known language, and of logs. */
export const DEFAULT_LANGUAGE = 'en';
/** BCP 47 codes of the languages of the product, which are the folders of the catalog. */
export const LANGUAGES: readonly string[] = readdirSync(CATALOG_URL).toSorted();

const spoken = new AsyncLocalStorage<string>();

/**
 * Runs `work` and everything that it starts in the language of the reader: `say` uses it. `code` may come from a channel, such as `de` or
 * `zh-hans`; null and unknown languages mean English.
 */
export function runInLanguage<T>(code: string | null | undefined, work: () => T): T {
  return spoken.run(toLanguage(code) ?? DEFAULT_LANGUAGE, work);
}

/** The language set by `runInLanguage`, else English. */
export function getCurrentLanguage(): string {
  return spoken.getStore() ?? DEFAULT_LANGUAGE;
}

/** Finds the language of the catalog for a code: `pt-BR` gives `pt`. Null without one. */
export function toLanguage(code: string | null | undefined): string | null {
  const [base] = (code ?? '').toLowerCase().split(/[-_]/);
  return LANGUAGES.find((one) => one === base) ?? null;
}

/** Names a language in that language: `Deutsch`. */
export function getLanguageName(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
