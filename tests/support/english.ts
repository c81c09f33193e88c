import { fileURLToPath } from 'node:url';
import { ERRORS } from '@signalbox/contracts/errors';
import { IntlMessageFormat } from 'intl-messageformat';
import { readLanguages } from '../architecture/messages.ts';
import { samples } from './samples.ts';

/*
 * Which sentences of the product a text has in English, or another language, although its reader has another. No list of words decides it, but the
 * catalog itself: of each English sentence the pieces between its values, wherever they stand in what was said.
 */

const folders = [
  new URL('../../shared/messages/src/languages/', import.meta.url),
  ...samples.flatMap(({ languages: own }) => own ?? []),
];
const languages = readLanguages(...folders.map((folder) => fileURLToPath(folder)));
/** Fewer words stand in a sentence of any language by chance: "Docker Hub", "docker compose". */
const LEAST_WORDS = 3;

/** The longer pieces of one ICU message that are said as they stand. */
function piecesOf(sentence: string): readonly string[] {
  const pieces: string[] = [];
  const visit = (elements: unknown): void => {
    if (Array.isArray(elements)) return elements.forEach(visit);
    if (typeof elements !== 'object' || elements === null) return;
    // The parser's types: 0 is plain text.
    if ('type' in elements && elements.type === 0 && 'value' in elements) pieces.push(String(elements.value));
    else Object.values(elements).forEach(visit);
  };
  visit(new IntlMessageFormat(sentence, 'en', undefined, { ignoreTag: true, captureLocation: false }).getAst());
  return pieces
    .flatMap((piece) => piece.split(/\n|(?<=[.:;,!?])\s+/))
    .map((piece) => piece.replace(/`[^`]*`|“[^”]*”/g, '').trim())
    .filter((piece) => (piece.match(/\p{L}{2,}/gu) ?? []).length >= LEAST_WORDS);
}

const reasons = [...(languages.get('de')?.keys() ?? [])]
  .filter((key) => /^(?:reasons|questions)\./.test(key))
  .map((key) => [key, key.replace(/^\w+\./, '')] as const);
const english = new Map([
  ...(languages.get('en') ?? []),
  ...Object.entries(ERRORS).map(([code, { say }]) => [`errors.${code}`, say] as const),
  ...reasons,
]);

/** What would be foreign to somebody who reads a language: what that language says in the same words is not. */
const foreign = new Map<string, readonly string[]>();
function piecesFor(written: string, reader: string): readonly string[] {
  const known = foreign.get(`${written} ${reader}`);
  if (known !== undefined) return known;
  const sentencesIn = (language: string): ReadonlyMap<string, string> =>
    language === 'en' ? english : (languages.get(language) ?? new Map<string, string>());
  const spoken = sentencesIn(reader);
  const pieces = [...sentencesIn(written)].flatMap(([key, sentence]) =>
    piecesOf(sentence).filter((piece) => !spoken.get(key)?.includes(piece)),
  );
  foreign.set(`${written} ${reader}`, pieces);
  return pieces;
}

/** The pieces of English sentences in a text for somebody who reads `language`. */
export function englishIn(text: string, language: string): readonly string[] {
  return foreignIn(text, 'en', language);
}

/** The pieces of sentences of one language in a text for somebody who reads another. */
export function foreignIn(text: string, written: string, reader: string): readonly string[] {
  return piecesFor(written, reader).filter((piece) => text.includes(piece));
}
