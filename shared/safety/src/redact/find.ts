import { findAssignments } from './assignments.ts';
import { mergeMatches, type SecretMatch } from './found.ts';
import { findPaymentNumbers } from './numbers.ts';
import { findShapedSecrets } from './shapes.ts';
import { findTokens } from './tokens.ts';
import {
  findBase64Texts,
  toOriginalOffsets,
  joinBrokenLines,
  decodePercents,
  removeInvisible,
  type NormalizedText,
} from './normalizations.ts';

/** Minimum length of a text that may hold a secret. */
const MIN_LENGTH = 8;
/** Minimum length of a token's part on the next line, when the token may have ended with its line. */
const MIN_CONTINUATION = 8;

/**
 * Finds secrets in a text, in order and without overlaps; also percent-encoded, base64-encoded and line-broken secrets, and secrets with
 * invisible characters. Linear time.
 */
export function findSecrets(text: string): readonly SecretMatch[] {
  if (text.length < MIN_LENGTH) return [];
  const matches = [...scan(text)];
  const visible = removeInvisible(text);
  if (visible) matches.push(...toOriginalOffsets(visible, scan(visible.text)));
  const escapes = decodePercents(text);
  if (escapes) {
    matches.push(...toOriginalOffsets(escapes, scan(escapes.text)));
    matches.push(...toOriginalOffsets(escapes, findInBase64(escapes.text)));
  }
  const breaks = joinBrokenLines(text);
  if (breaks) matches.push(...findBroken(text, breaks, matches));
  matches.push(...findInBase64(text));
  return mergeMatches(matches);
}

function scan(text: string): readonly SecretMatch[] {
  return mergeMatches([
    ...findTokens(text),
    ...findShapedSecrets(text),
    ...findAssignments(text),
    ...findPaymentNumbers(text),
  ]);
}

function findInBase64(text: string): readonly SecretMatch[] {
  return findBase64Texts(text).flatMap(({ start, end, text: inner }) => {
    const [first] = scan(inner);
    return first ? [{ kind: first.kind, start, end }] : [];
  });
}

/** Finds tokens that continue on the next line. A token that is complete at the line's end takes no word of the next line. */
function findBroken(text: string, view: NormalizedText, known: readonly SecretMatch[]): readonly SecretMatch[] {
  return toOriginalOffsets(view, findTokens(view.text)).filter(({ start, end }) => {
    const line = text.indexOf('\n', start);
    if (line < 0 || line >= end) return false;
    const whole = known.find((match) => match.start === start);
    if (!whole) return true;
    const more = text.slice(whole.end, end).trim();
    return more.length >= MIN_CONTINUATION && /\d/.test(more);
  });
}
