import { CONFIDENT, matchTools } from './match.ts';
import { findMentions, withPlaceholders } from './mentions.ts';
import type { Surroundings } from './requests.ts';
import { readSmallTalk } from './small-talk.ts';
import { isFiller, meaningOf, tokenize } from './tokens.ts';
import { VERBS } from './vocabulary.ts';

/** Where one request may end and the next begin. */
const BOUNDARY = /(?:[.;!?]\s+|,?\s+(?:and then|and also|and|then)\s+)/i;
const MOST_CLAUSES = 8;
/** A part that is taken for a request of its own has to sound more like one than a whole message has to. */
const CONFIDENT_ALONE = CONFIDENT + 0.1;

/** The requests of a text, each in its own words; the whole text when it is one. "plants and flowers" stays together. */
export function splitRequests(text: string, around: Pick<Surroundings, 'facts' | 'index'>): readonly string[] {
  const clauses = text.split(BOUNDARY).filter((clause) => clause.trim() !== '');
  if (clauses.length < 2 || clauses.length > MOST_CLAUSES) return [text];
  const starts = clauses.map((clause) => isRequest(clause, around));
  if (!starts[0] || starts.filter(Boolean).length < 2) return [text];
  const parts: string[] = [];
  let from = 0;
  for (const [at, clause] of clauses.entries()) {
    const start = text.indexOf(clause, from);
    // What is no request belongs to the one before, with the words that joined them.
    const last = parts.length - 1;
    if (starts[at]) parts.push(clause);
    else parts[last] = `${parts[last] ?? ''}${text.slice(from, start)}${clause}`;
    from = start + clause.length;
  }
  return parts;
}

function isRequest(clause: string, { facts, index }: Pick<Surroundings, 'facts' | 'index'>): boolean {
  const first = tokenize(clause).find(({ lower }) => !isFiller(lower));
  if (!first || !VERBS.has(meaningOf(first.lower)) || readSmallTalk(clause) !== null) return false;
  const [best] = matchTools(withPlaceholders(clause, findMentions(clause, facts, index.words)), index);
  return best !== undefined && best.score >= CONFIDENT_ALONE;
}
