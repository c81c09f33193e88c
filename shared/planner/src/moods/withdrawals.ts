/** A last sentence that takes back all that was said before it: "…, no wait, forget it". */
const TAKES_BACK =
  /^(?:(?:no|nah|nope|wait|actually|sorry|ok|okay|oh|ah|hm+|but|well|please|on second thoughts?)[,.! ]*)*(?:never ?mind|nvm|forget (?:it|that|about it)|leave (?:it|that)(?: be| alone)?|(?:don't|dont|do not)(?: do (?:it|that|anything))?|scratch that|i(?:'ve| have)? changed my mind|changed my mind|not now|better not|rather not|no need)(?: (?:please|then|now|after all|for now|sorry|thanks))*[.! ]*$/i;
const SENTENCE_END = /[.!?;,…]+\s+|\s[-–—]+\s+/g;

/** The end of a text that takes back what stands before it; null when it takes nothing back. */
export function findWithdrawal(text: string): string | null {
  for (const match of text.matchAll(SENTENCE_END)) {
    const rest = text.slice(match.index + match[0].length);
    if (TAKES_BACK.test(rest)) return rest;
  }
  return null;
}
