import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync } from 'node:fs';

/** The folder of the catalog: one folder for each language. */
export const CATALOG = new URL('./languages/', import.meta.url);
/** The language of whoever has no other, and of what nobody in particular reads, such as logs. */
export const ENGLISH = 'en';
/** What the product speaks, by BCP 47 code: the folders of the catalog. */
export const LANGUAGES: readonly string[] = readdirSync(CATALOG).toSorted();

const spoken = new AsyncLocalStorage<string>();

/**
 * Runs `work`, and all that it starts, in the language of the person who is spoken to: sentences of the catalog are said in it. The code
 * may come from a channel, such as `de` or `zh-hans`; null and what the catalog does not have stand for English.
 */
export function inLanguage<T>(code: string | null | undefined, work: () => T): T {
  return spoken.run(toLanguage(code) ?? ENGLISH, work);
}

/** The language in which sentences are said now. */
export function getCurrentLanguage(): string {
  return spoken.getStore() ?? ENGLISH;
}

/** The language of the catalog that this code stands for: `pt-BR` is `pt`. Null when there is none. */
export function toLanguage(code: string | null | undefined): string | null {
  const [base] = (code ?? '').toLowerCase().split(/[-_]/);
  return LANGUAGES.find((one) => one === base) ?? null;
}

/** What a language is called by those who speak it: `Deutsch`. */
export function nameOfLanguage(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
