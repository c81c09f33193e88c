import { findAddresses, findQuantities, findQuoted } from '../text/quantities.ts';
import type { IndexedTool } from '../match/capability-index.ts';
import { readCondition } from '../moods/conditions.ts';
import { distribute, findList } from '../moods/coordination.ts';
import { takesText } from '../slots/field-kinds.ts';
import { CONFIDENT } from '../match/match.ts';
import { findMentions } from '../text/mentions.ts';
import { isAsking } from '../moods/moods.ts';
import { isLabelOf } from '../slots/labels.ts';
import { readLiteral } from '../slots/literals.ts';
import { beginsOrder } from '../moods/order-words.ts';
import { ERRANDS } from '../text/outside-words.ts';
import { pointsBack } from '../conversation/references.ts';
import { readSmallTalk } from '../moods/small-talk.ts';
import { stem } from '../text/stems.ts';
import { isFiller, tokenize } from '../text/tokens.ts';
import { type Surroundings, understand } from './understanding.ts';

/** Where one request may end and the next begin. */
const BOUNDARY =
  /[.;!?]+\s+(?:(?:and|then|also|after that|afterwards|later|next|finally|(?:and )?when (?:it is |it's |that is |that's )?(?:done|finished))[,:]?\s+)?|\s*,?\s+(?:and then|and also|and after that|after that|afterwards|and finally|finally|then|also|plus|as well as|and when (?:it is |it's |that is |that's )?done|when (?:it is |it's |that is |that's )?done|and)[,:]?\s+|\s*[+&]\s+|,\s+(?:(?:and\s+)?(?:second|third)(?:ly)?,?\s+)?|(?:^|\s+)(?:\(?\d[.)]|[-•*–])\s+(?=\p{L})/giu;
const MOST_CLAUSES = 12;
/** A part that is taken for a request of its own has to sound more like one than a whole message has to. */
const CONFIDENT_ALONE = CONFIDENT + 0.1;

type Around = Pick<Surroundings, 'facts' | 'index' | 'last'>;

/** A stretch of the text between two boundaries, and what stands before it. */
interface Clause {
  readonly text: string;
  readonly start: number;
  readonly joint: string;
}

/**
 * An answer to a question, and what is asked for besides: "web-1, and then list the servers". Values alone are never parted, for
 * they may all belong to the answer.
 */
export function splitAnswer(text: string, asking: string, around: Around): readonly string[] {
  const clauses = clausesOf(text);
  for (const clause of clauses.slice(1, MOST_CLAUSES)) {
    const tool = requestedBy(clause, { before: null, said: '', leads: false }, around);
    const first = firstWord(clause.text);
    if (!tool || tool.name === asking || !beginsOrder(first) || CHANGES_ANSWER.test(clause.text)) continue;
    return [
      text.slice(0, clause.start).replace(/(?:[\s,;.]|\b(?:and|then|also))+$/i, ''),
      ...splitRequests(text.slice(clause.start), around),
    ];
  }
  return [text];
}

/** "And make it 1.0.1" is still about the question. */
const CHANGES_ANSWER = /^\s*(?:but |and |please )*(?:make|change|set|use|take|call|name|put) (?:it|that|this)\b/i;

/** The requests of a text, each in its own words; the whole text when it is one. "plants and flowers" stays together. */
export function splitRequests(whole: string, around: Around): readonly string[] {
  const conditional = SENTENCE_WITH_CONDITION.exec(whole);
  if (conditional)
    return [...splitRequests(whole.slice(0, conditional.index), around), whole.slice(conditional.index).trimStart()];
  if (readCondition(whole, around.index.orders)) return [whole];
  const text = whole.replace(FIRST_OF_ALL, '');
  const listed = findList(text, around);
  const clauses = clausesOf(text, listed.length > 1 ? listed : []);
  if (clauses.length < 2 || clauses.length > MOST_CLAUSES) return distribute(text, around);
  const parts: { from: number; to: number; tool: IndexedTool | null; closed: boolean }[] = [];
  for (const [at, clause] of clauses.entries()) {
    const to = clause.start + clause.text.length;
    const open = parts.at(-1);
    const said = text.slice(open?.from ?? 0, clause.start);
    // What is followed by a comma and an order is what the order is about: "blog is done, archive it".
    const next = clauses[1];
    const leads = at === 0 && next?.joint === ',' && (pointsBack(next.text) || beginsOrder(firstWord(next.text)));
    const tool = requestedBy(clause, { before: open?.tool ?? null, said, leads }, around);
    const alone =
      tool === undefined && (stopsSomething(clause, clauses.length) || isErrand(clause, open?.tool ?? null));
    if (open?.tool && tool === undefined && isGap(clause, said, open.tool, around)) {
      parts.push({ from: clause.start, to, tool: open.tool, closed: false });
    } else if (!open || alone || (tool !== undefined && (open.tool || open.closed)))
      parts.push({ from: clause.start, to, tool: tool ?? null, closed: alone });
    else {
      // What is no request belongs to the one before; what comes before the first one belongs to it.
      open.to = to;
      open.tool ??= tool ?? null;
    }
  }
  const first = parts[0]?.from ?? 0;
  const written = parts.map(({ from, to, tool }) => ({ text: text.slice(from, to).trim(), tool }));
  if (written.length < 2)
    return distribute(isNumbering(text.slice(0, first)) ? (written[0]?.text ?? text) : text, around);
  return withSharedEnds(written, around)
    .filter((part) => !['thanks', 'agreed', 'greeting'].includes(readSmallTalk(part) ?? ''))
    .flatMap((part) => distribute(part, around));
}

const FIRST_OF_ALL =
  /^.{0,40}\b(?:following|things|tasks|questions|requests|wishes)\b[^:]{0,10}:\s*|^first(?:ly| of all)?,? (?=.{1,200}\b(?:then|after that|afterwards|second(?:ly)?|next)\b)/i;

/** What depends on a condition is one request, whatever was asked for before it. */
const SENTENCE_WITH_CONDITION =
  /(?<=.[.;!?])\s+(?=(?:and |but |then )*(?:if|unless|in case|as soon as|once|provided|only if) (?!(?:so|not|yes|no|it|that|this|they|everything)\b))/iu;

interface Part {
  readonly text: string;
  readonly tool: IndexedTool | null;
}

/** "Logs and errors of blog", "shop 1.0 and blog 2.0 to staging": what the last one says and the others need holds for all. */
function withSharedEnds(parts: readonly Part[], { facts, index }: Around): readonly string[] {
  const shared: string[] = [];
  for (const [at, { text, tool }] of [...parts.entries()].toReversed()) {
    const next = parts[at + 1];
    const missing =
      tool && next?.tool && (next.tool === tool || (next.tool.reads && tool.reads))
        ? missingThings(text, tool, { facts, index })
        : [];
    const following = shared[0] ?? '';
    const ends = missing.flatMap((kind) => {
      const said = findMentions(following, facts, index.words, index.closed).filter((mention) => mention.kind === kind);
      const [only] = said;
      return only && said.length === 1 ? [following.slice(only.start, only.end)] : [];
    });
    shared.unshift(ends.length > 0 ? `${text} for ${ends.join(' ')}` : text);
  }
  return shared;
}

/** Kinds of things that the tool needs and the text does not name. */
function missingThings(
  text: string,
  tool: IndexedTool,
  { facts, index }: Pick<Around, 'facts' | 'index'>,
): readonly string[] {
  const named = new Set(findMentions(text, facts, index.words, index.closed).map(({ kind }) => kind));
  return tool.fields.flatMap(({ required, entity }) =>
    required && entity !== null && !['name', 'text', 'port'].includes(entity) && !named.has(entity) ? [entity] : [],
  );
}

function isNumbering(text: string): boolean {
  return /^\s*(?:\(?\d[.)]|[-•*–])\s*$/.test(text);
}

/** Boundaries inside quotes, addresses and lists part nothing. */
function clausesOf(
  text: string,
  list: readonly { readonly start: number; readonly end: number }[] = [],
): readonly Clause[] {
  const [first, last] = [list[0], list.at(-1)];
  const whole = [
    ...findQuoted(text),
    ...findAddresses(text),
    ...(first && last ? [{ start: first.start, end: last.end }] : []),
  ];
  const clauses: Clause[] = [];
  let start = 0;
  let joint = '';
  const add = (end: number): void => {
    const written = text.slice(start, end);
    if (written.trim() !== '') clauses.push({ text: written, start, joint });
  };
  for (const match of text.matchAll(BOUNDARY)) {
    if (whole.some((span) => match.index >= span.start && match.index < span.end)) continue;
    add(match.index + (/^[?!]/.test(match[0]) ? 1 : 0));
    start = match.index + match[0].length;
    joint = match[0].trim().toLowerCase();
  }
  add(text.length);
  return clauses;
}

/** "Stop that and show me its log": what was set going is stopped first. */
function stopsSomething({ text }: Clause, clauses: number): boolean {
  return clauses > 1 && /\b(?:stop|cancel|abort|halt)\b/i.test(text) && readSmallTalk(text) === 'cancel';
}

/** Something that we cannot do, asked for beside what we can: it is said and not passed over. */
function isErrand({ text, joint }: Clause, before: IndexedTool | null): boolean {
  if (
    !before ||
    joint === ',' ||
    joint === '' ||
    before.fields.some(({ required, entity }) => required && entity === 'text')
  )
    return false;
  const words = tokenize(text).filter(({ lower }) => !isFiller(lower));
  const [first] = words;
  return first !== undefined && words.length > 1 && ERRANDS.has(first.lower) && !pointsBack(text);
}

/** The tool that a clause asks for by itself; undefined when it is no request of its own. */
function requestedBy(
  { text, joint }: Clause,
  { before, said, leads }: { readonly before: IndexedTool | null; readonly said: string; readonly leads: boolean },
  { facts, index }: Around,
): IndexedTool | undefined {
  if (readSmallTalk(text) !== null || DEPENDENT.test(text)) return undefined;
  if (before && saysOnlyValues(text, { facts, index })) return undefined;
  const literal = readLiteral(text.trim(), index);
  if (literal) return literal.tool;
  const last =
    before && pointsBack(text)
      ? { tool: before.name, args: spokenOf(said, before, { facts, index }), result: null, text: said }
      : null;
  const { matches, mood } = understand(text, { facts, index, last });
  const [best] = matches;
  if (!best || best.score < CONFIDENT_ALONE) return undefined;
  const first = orderWord(text, { facts, index });
  // An order begins with its verb: "it needs 1 GB" tells more of what came before.
  const told = /^\s*(?:it|they|he|she|that|this|which|who)\b/i.test(text);
  // A statement is what the next clause is about, unless somebody needs something.
  const states =
    /^\s*(?!(?:is|are|was|were|has|have|what|which|who|how|where|when)\b).+?\b(?:is|are|was|were|has|had|says?|said|thinks?|finished|moved|went|will)\b/i.test(
      text,
    ) && !/\b(?:needs?|wants?|need(?:ed)?)\b/i.test(text);
  const begins = startsWithValue(first, index) || beginsOrder(first) || index.orders.has(first);
  const orders = !told && (begins || WISH.test(text));
  const listed = joint !== ',' || tokenize(text).length <= 2 || /\b(?:too|as well|also)\W*$/i.test(text);
  const short = listed && !leads && isBareRequest(best.tool, text, before, { facts, index });
  if (!orders && !isAsking(mood) && (!short || states)) return undefined;
  if (joint === ',' && !short && !begins) return undefined;
  // "I have to run a worker. Which machine?" asks once.
  if (before && /^\s*(?:which|what|where|how|why|who)(?: \p{L}+)?\s*\??\s*$/iu.test(text)) return undefined;
  // "we don't need port 1 any longer, please free it up" asks once; "one for shop and one for blog" twice.
  if (best.tool === before && !repeatsKind(text, said, { facts, index })) return undefined;
  return best.tool;
}

/** What asks for something without an order's verb at its beginning. */
const WISH =
  /^\s*(?:(?:and|then|also|please|now) )*(?:can|could|would|will|may) (?:you|i|we)\b|\b(?:i|we|it|\S+) (?:also )?(?:needs?|wants?|would like|'d like|should (?:get|have))\b/i;

/** What only says something about the clause beside it: "not shop", "if the tests pass". */
const DEPENDENT =
  /^\s*(?:to|(?:has|have|had|with)\b(?!.*\?\s*$)|not|no|nor|except|sorry|(?:tell|let|notify|inform|ping|remind) (?:me|us)(?: know)? (?:when|once|as soon as)|(?:if(?! (?:so|yes|ok|okay|not)\b)|when|once|unless|as soon as|after|until|in case|provided|assuming)(?!\s+(?:was|were|did|is|are|will|has|have|do|does|should|can|that|this)\b)(?!.*\?\s*$))\b/i;

/** Whether a clause names a second thing of a kind that was named before it. */
function repeatsKind(text: string, before: string, { facts, index }: Pick<Around, 'facts' | 'index'>): boolean {
  const kinds = (part: string): ReadonlySet<string> =>
    new Set([
      ...findMentions(part, facts, index.words, index.closed).map(({ kind }) => kind),
      ...findQuantities(part).flatMap(({ unit }) => (unit === null ? ['number'] : [])),
      ...(tokenize(part).some(({ lower }) => index.values.has(stem(lower))) ? ['value'] : []),
    ]);
  const known = kinds(before);
  return [...kinds(text)].some((kind) => known.has(kind));
}

/** "Not to production" names what is not meant. */
const EXCEPTS = /^\s*(?:but |and )?(?:not|no|never|except|without)\b/i;

/** Whether a clause leaves out what the one before said: "deploy shop 1.0 to staging and blog 2.0 to production". */
function isGap({ text }: Clause, before: string, tool: IndexedTool, { facts, index }: Around): boolean {
  if (tool.fields.some((field) => field.required && takesText(field)) || EXCEPTS.test(text)) return false;
  const mentions = findMentions(text, facts, index.words, index.closed);
  const kinds = new Set(tool.fields.map(({ entity }) => entity));
  if (!mentions.some(({ kind }) => kinds.has(kind)) || !repeatsKind(text, before, { facts, index })) return false;
  return saysOnlyValues(text, { facts, index }, tool);
}

/** Whether a clause holds names and numbers and nothing that asks. */
function saysOnlyValues(
  text: string,
  { facts, index }: Pick<Around, 'facts' | 'index'>,
  tool: IndexedTool | null = null,
): boolean {
  const taken = [...findMentions(text, facts, index.words, index.closed), ...findQuantities(text)];
  if (taken.length === 0) return false;
  return tokenize(text).every(
    ({ lower, start, end }) =>
      isFiller(lower) ||
      /\d/.test(lower) ||
      taken.some((span) => start >= span.start && end <= span.end) ||
      (tool?.values.has(stem(lower)) ?? false) ||
      (tool?.fields.some((field) => isLabelOf(lower, field)) ?? false),
  );
}

/** What the clauses before were about, as arguments: which names they are does not matter here. */
function spokenOf(
  said: string,
  tool: IndexedTool,
  { facts, index }: Pick<Around, 'facts' | 'index'>,
): Record<string, unknown> {
  const mentions = findMentions(said, facts, index.words, index.closed);
  return Object.fromEntries(
    tool.fields.flatMap(({ name, entity }) => {
      const mention = mentions.find(({ kind }) => kind === entity);
      return mention ? [[name, mention.name] as const] : [];
    }),
  );
}

/** The word that an order begins with; a known name is none, whatever else it means. */
function orderWord(text: string, { facts, index }: Pick<Around, 'facts' | 'index'>): string {
  const first = tokenize(text).find(({ lower }) => !isFiller(lower));
  // "The last release was a mistake": no order begins with an article.
  if (/^\s*(?:(?:and|then|so|but) )*(?:the|an?|our|my|its)\b/i.test(text)) return '';
  const names = findMentions(text, facts, index.words).filter(({ start }) => start === first?.start);
  return first === undefined ||
    (names.length > 0 && /^\s*(?:project|app|is|are|was|has|needs?)\b/i.test(text.slice(first.end)))
    ? ''
    : first.lower;
}

function firstWord(text: string): string {
  return tokenize(text).find(({ lower }) => !isFiller(lower))?.lower ?? '';
}

/** Nouns alone ask for something when they ask to see it, like what was asked before: "ports of shop + next free on web-1". */
function isBareRequest(
  tool: IndexedTool,
  text: string,
  before: IndexedTool | null,
  around: Pick<Around, 'facts' | 'index'>,
): boolean {
  if (!before) return true;
  const asksForMore = [before, tool].some(({ fields }) =>
    fields.some(({ required, entity, choices }) => required && (entity === null || choices.length > 0)),
  );
  return (
    before.reads && tool.reads && !asksForMore && (pointsBack(text) || missingThings(text, tool, around).length === 0)
  );
}

/** "Archive it" is an order, "archived" is none. */
function startsWithValue(word: string, index: Around['index']): boolean {
  return !word.endsWith('ed') && index.values.has(stem(word));
}
