import { readFileSync } from 'node:fs';
import { CATALOG_URL, DEFAULT_LANGUAGE, toLanguage } from './language.ts';
import type english from './languages/en/page.json';

export type PageKey = `page.${keyof typeof english}`;

/** The sentences of a browser page in one language, by key: browsers cannot read the catalog itself. */
export interface PageSentences {
  readonly language: string;
  readonly sentences: Readonly<Record<PageKey, string>>;
}

/** Reads the page sentences of the first of these languages that the catalog has. Missing sentences are English. */
export function readPageSentences(languages: readonly string[]): PageSentences {
  const language = languages.map(toLanguage).find((one) => one !== null) ?? DEFAULT_LANGUAGE;
  const said = { ...readFile(DEFAULT_LANGUAGE), ...readFile(language) };
  const entries = Object.entries(said).map(([key, sentence]) => [`page.${key}`, sentence]);
  return { language, sentences: Object.fromEntries(entries) };
}

function readFile(language: string): typeof english {
  return JSON.parse(readFileSync(new URL(`${language}/page.json`, CATALOG_URL), 'utf8'));
}
