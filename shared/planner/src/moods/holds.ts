import type { Mood } from './moods.ts';

/** How the beginning of a message keeps all that follows it from being done. */
export interface Hold {
  readonly mood: Extract<Mood, 'forbidden' | 'advice' | 'knowledge' | 'quoted'>;
  /** Where what is held ends: at "but", "instead", or a new sentence that begins anew. The whole text when nothing follows. */
  readonly end: number;
}

const COURTESY = String.raw`^(?:(?:please|pls|no|hey|hi|ok|okay|so|and|but|well|hm+|oh|sorry|also|then|just asking|quick question)[,:! ]+)*`;
const WHEN = String.raw`(?:(?:yesterday|today|earlier|just now|(?:this|last) (?:morning|week|night|month)|on \w+day|a (?:minute|while) ago)[, ]+)?`;

/** What the words of somebody else are introduced with: "yesterday ben said:", "the ticket says", "ada wrote that". */
const SAID_BY_OTHERS = new RegExp(
  `${COURTESY}${WHEN}(?!(?:i|we|you|please)\\b)(?:the |our |my |a )?[\\p{L}][\\p{L}\\p{N}' -]{0,30}? (?:just |also |once )?` +
    `(?:said|says?|wrote|writes|typed|types|posted|suggested|suggests|proposed|mentioned|claims|claimed|told (?:me|us)|asked (?:me|us)|reads)\\b` +
    `(?: to| that| this)?(?: (?:me|us))?\\s*[:,"'-]`,
  'iu',
);
const HOLDS: readonly (readonly [RegExp, Hold['mood']])[] = [
  [SAID_BY_OTHERS, 'quoted'],
  [
    new RegExp(
      `${COURTESY}(?:what (?:happens|happened|would happen|will happen|if|would it mean)|what'?s going to happen)\\b`,
      'i',
    ),
    'knowledge',
  ],
  // "Don't we have …" asks.
  [new RegExp(`${COURTESY}(?:do not|don'?t|dont) (?:i|we|they|you(?! dare)|it)\\b`, 'i'), 'advice'],
  [new RegExp(`${COURTESY}(?:should|shall|ought|must|may) (?:i|we|one|somebody|someone)\\b`, 'i'), 'advice'],
  [
    new RegExp(
      `${COURTESY}(?:do not|don'?t|dont|never|you must not|you shouldn'?t|please not)\\b` +
        `(?! (?:you|we|they|i|it)\\b)(?! (?:worry|forget|hesitate|panic|mind|know|understand|bother|care|see|have|need|want|like|think|get)\\b)`,
      'i',
    ),
    'forbidden',
  ],
];
/** Where what is forbidden ends and something else is wanted. */
const INSTEAD =
  /(?:[,;.!]\s*(?:(?:but|instead|rather|just|only|please|better)\b[ ,]*)+|\s(?:but|instead|rather)\b[ ,]*(?:just |only |please )?)(?=\p{L})/giu;

/**
 * The hold at the beginning of a clean text; null when there is none. Only a prohibition ends before the text does: who asks what
 * happens, or tells what others said, asks it of everything that follows.
 */
export function readHold(text: string): Hold | null {
  const [, mood] = HOLDS.find(([form]) => form.test(text)) ?? [];
  if (mood === undefined) return null;
  if (mood !== 'forbidden') return { mood, end: text.length };
  for (const match of text.matchAll(INSTEAD)) return { mood, end: match.index };
  return { mood, end: endOfSameOrder(text) };
}

/** "Don't archive blog, archive crm": the same verb again says what is wanted. */
function endOfSameOrder(text: string): number {
  const verb = /\b(?:not|don'?t|dont|never) ([\p{L}-]+)/iu.exec(text)?.[1];
  if (verb === undefined) return text.length;
  const again = new RegExp(String.raw`[,;.!]\s*(?=${verb}\b)`, 'iu').exec(text);
  return again ? again.index : text.length;
}
