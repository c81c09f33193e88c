import { CONCEPTS, EFFECTS } from '../text/concepts.ts';
import { isFiller, sensesOf, tokenize } from '../text/tokens.ts';

/** Somebody, and that they do, did, want or think something: "cleo will …", "my boss thinks …", "the testers are …". */
const SOMEBODY =
  /^(?:(?:the|our|my|your|a|an|one of the|some of the)\s+)?([\p{L}][\p{L}'-]*)(?:\s+(?!(?:will|is|are|was|were|has|have|had)\b)[\p{L}'-]+){0,2}?\s+(?:(?:just|already|also|still|now|probably|maybe|really)\s+)*(?:will|would|is|are|was|were|has|have|had|wants? to|wanted to|plans?|planned|tries|tried|thinks?|thought|believes?|believed|says?|said|hopes?|hoped|likes? to|asked|asks|suggests?|suggested|told|must|may|might|can|could|should|insists?|intends?|needs to|decided|promised|prefers?|loves? to)\b(.*)$/u;
const PEOPLE: ReadonlySet<string> = new Set(
  'he she they someone somebody everyone everybody people team boss customer customers client clients colleague colleagues lead manager ops dev devs tester testers admin admins'.split(
    ' ',
  ),
);

/**
 * Whether a clause tells what somebody else does, wants or thinks to be done: "cleo will stop crm herself". `plain` is in small
 * letters; `names` are those of known things, which are nobody. What others did is news, and no order to us.
 */
export function isOthersAct(plain: string, names: ReadonlySet<string>): boolean {
  const [, subject = '', rest = ''] = SOMEBODY.exec(plain) ?? [];
  const who = subject.replace(/'s$/, '');
  if (who === '' || names.has(who)) return false;
  if (!PEOPLE.has(who) && (isFiller(who) || CONCEPTS.has(who))) return false;
  return tokenize(rest).some(
    ({ lower }) =>
      /^(?:un)?archiv/.test(lower) ||
      sensesOf(lower).some(({ meaning, share }) => share >= 0.7 && EFFECTS.has(meaning)),
  );
}
