import { formatSentence } from '@signalbox/messages/format-sentence';
import type { PageKey, PageSentences } from '@signalbox/messages/page-sentences';

/** The gateway embeds the page's sentences in the browser's language. */
const { language, sentences }: PageSentences = JSON.parse(document.querySelector('#sentences')?.textContent ?? '');

/** The page's language, as a BCP 47 code. */
export const LANGUAGE: string = language;

/** The browser's variant of the page's language, for times and numbers. */
export const LOCALE: string = navigator.languages.find((one) => one.split('-')[0] === language) ?? language;

/** Renders a catalog sentence in the page's language. */
export function say(key: PageKey, values: Readonly<Record<string, string | number>> = {}): string {
  return formatSentence(sentences[key], values, language);
}
