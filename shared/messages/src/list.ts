import { getCurrentLanguage, ENGLISH } from './language.ts';

/** `a, b and c`: a list in the middle of a sentence, in the language of whoever is spoken to. */
export function sayList(items: readonly string[]): string {
  const language = getCurrentLanguage();
  // The English of the product has no comma before the last item, as in Britain.
  return new Intl.ListFormat(language === ENGLISH ? 'en-GB' : language, { type: 'conjunction' }).format(items);
}
