const MAX_WORD_LENGTH = 60;

/**
 * Lists the words of a text, each once: identifiers whole and by their parts, so that `readHttpHeader` is found by `header` too. Signs are
 * left out, because Postgres would take `a.b` for a host and `a/b` for a path. Pure.
 */
export function splitWords(text: string): string {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (word.length > MAX_WORD_LENGTH) continue;
    words.add(word.replace(/^[_$]+|[_$]+$/g, '').toLowerCase());
    for (const part of splitIdentifier(word)) words.add(part);
  }
  words.delete('');
  return [...words].join(' ');
}

/** Splits `parseHTTPHeader_2` into `parse`, `http`, `header` and `2`. Pure. */
export function splitIdentifier(word: string): readonly string[] {
  return word
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_$]+/)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}
