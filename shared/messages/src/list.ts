/** `a, b and c`: a list in the middle of a sentence. Throws when `language` is no language tag. */
export function sayList(items: readonly string[], language = 'en-GB'): string {
  // The English of the product has no comma before the last item, as in Britain.
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(items);
}
