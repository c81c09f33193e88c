import { formatSentence } from '@signalbox/messages/format-sentence';
import type { PageKey, PageSentences } from '@signalbox/messages/page-sentences';

/** What the gateway put into the page: its sentences, in a language that the browser asked for. */
const { language, sentences } = readSentences();

/** The language that the page speaks, as a BCP 47 code. */
export const LANGUAGE: string = language;

/** The same as the browser's person writes it: with their hours and their signs in numbers. */
export const LOCALE: string = navigator.languages.find((one) => one.split('-')[0] === language) ?? language;

/** One sentence of the catalog, filled in, in the language of the page. */
export function say(key: PageKey, values: Readonly<Record<string, string | number>> = {}): string {
  return formatSentence(sentences[key], values, language);
}

function readSentences(): PageSentences {
  return JSON.parse(document.querySelector('#sentences')?.textContent ?? '');
}
