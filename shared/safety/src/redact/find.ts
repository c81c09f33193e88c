import { findAssignments } from './assignments.ts';
import { mergeFound, type SecretMatch } from './found.ts';
import { findNumbers } from './numbers.ts';
import { findShapes } from './shapes.ts';
import { findTokens } from './tokens.ts';
import { findWrapped, inOriginal, withoutBreaks, withoutEscapes, withoutUnseen, type View } from './normalizations.ts';

/** Nothing that is shorter is taken for a secret. */
const SHORTEST = 8;
/** Least that the next line has to give to a token that could have ended with its line. */
const CONTINUATION = 8;

/**
 * Finds secrets in a text, in order and without overlaps; also those that stand in it percent-encoded, in base 64, with signs in
 * between that are not seen, and tokens that are broken over two lines. Linear in the length of the text.
 */
export function findSecrets(text: string): readonly SecretMatch[] {
  if (text.length < SHORTEST) return [];
  const found = [...scan(text)];
  const unseen = withoutUnseen(text);
  if (unseen) found.push(...inOriginal(unseen, scan(unseen.text)));
  const escapes = withoutEscapes(text);
  if (escapes) {
    found.push(...inOriginal(escapes, scan(escapes.text)));
    found.push(...inOriginal(escapes, findInBase64(escapes.text)));
  }
  const breaks = withoutBreaks(text);
  if (breaks) found.push(...findBroken(text, breaks, found));
  found.push(...findInBase64(text));
  return mergeFound(found);
}

function scan(text: string): readonly SecretMatch[] {
  return mergeFound([...findTokens(text), ...findShapes(text), ...findAssignments(text), ...findNumbers(text)]);
}

function findInBase64(text: string): readonly SecretMatch[] {
  return findWrapped(text).flatMap(({ start, end, text: inner }) => {
    const [first] = scan(inner);
    return first ? [{ kind: first.kind, start, end }] : [];
  });
}

/** Tokens that go on behind the end of a line. One that was whole before its line ended takes no word of the next one along. */
function findBroken(text: string, view: View, known: readonly SecretMatch[]): readonly SecretMatch[] {
  return inOriginal(view, findTokens(view.text)).filter(({ start, end }) => {
    const line = text.indexOf('\n', start);
    if (line < 0 || line >= end) return false;
    const whole = known.find((one) => one.start === start);
    if (!whole) return true;
    const more = text.slice(whole.end, end).trim();
    return more.length >= CONTINUATION && /\d/.test(more);
  });
}
