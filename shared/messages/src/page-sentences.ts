import { readFileSync } from 'node:fs';
import { CATALOG, ENGLISH, toLanguage } from './language.ts';
import type english from './languages/en/page.json';

export type PageKey = `page.${keyof typeof english}`;

/** What a page in a browser says, which cannot read the catalog itself: its sentences in one language, by key. */
export interface PageSentences {
  readonly language: string;
  readonly sentences: Readonly<Record<PageKey, string>>;
}

/** The sentences in the first of these languages that the catalog has, and in English what that lacks. */
export function readPageSentences(languages: readonly string[]): PageSentences {
  const language = languages.map(toLanguage).find((one) => one !== null) ?? ENGLISH;
  const said = { ...readFile(ENGLISH), ...readFile(language) };
  const entries = Object.entries(said).map(([key, sentence]) => [`page.${key}`, sentence]);
  return { language, sentences: Object.fromEntries(entries) };
}

function readFile(language: string): typeof english {
  return JSON.parse(readFileSync(new URL(`${language}/page.json`, CATALOG), 'utf8'));
}
