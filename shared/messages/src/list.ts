import { getCurrentLanguage, DEFAULT_LANGUAGE } from './language.ts';

/** Joins items for a sentence in the current language: `a, b and c`. */
export function sayList(items: readonly string[]): string {
  const language = getCurrentLanguage();
  // As in Britain, the product's English has no comma before the last item.
  return new Intl.ListFormat(language === DEFAULT_LANGUAGE ? 'en-GB' : language, { type: 'conjunction' }).format(items);
}
