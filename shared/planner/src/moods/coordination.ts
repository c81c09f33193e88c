import { findQuantities } from '../text/quantities.ts';
import { findMentions } from '../text/mentions.ts';
import { takesText } from '../slots/field-kinds.ts';
import { fillSlots } from '../slots/slots.ts';
import { type Surroundings, meantTools, understand } from '../requests/understanding.ts';

/** What may stand between two things of a list: "shop and blog", "1, 2 and 3", "of shop and of blog". */
const LISTED =
  /^\s*(?:,|,?\s*\band\b(?: also)?|,?\s*\bplus\b|\bas well as\b|&|\+)\s*(?:(?:of|for|on|the|from|in|to|at|with|port|ports|project|server)\s+)*$/i;
const MOST_THINGS = 8;

interface Span {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Things of one kind that are listed: "shop and blog", "20001, 20002 and 20003". */
export function findList(text: string, { facts, index }: Pick<Surroundings, 'facts' | 'index'>): readonly Span[] {
  const things = [
    ...findMentions(text, facts, index.words, index.closed),
    ...findQuantities(text).flatMap(({ unit, start, end }) => (unit === null ? [{ kind: 'number', start, end }] : [])),
  ].sort((left, right) => left.start - right.start);
  return longestList(text, things);
}

/** "archive shop and blog" as one request for each thing, when the tool takes one of them; the text itself otherwise. */
export function distribute(text: string, around: Pick<Surroundings, 'facts' | 'index' | 'last'>): readonly string[] {
  const { facts, index } = around;
  const list = findList(text, around);
  const [first, last] = [list[0], list.at(-1)];
  if (!first || !last || list.length < 2) return [text];
  const [match] = meantTools(understand(text, around));
  const tool = match?.tool;
  if (!tool?.installed) return [text];
  const takes = tool.fields.filter(({ entity, type, choices }) =>
    first.kind === 'number'
      ? entity === 'port' && type !== 'array'
      : entity === first.kind && (choices.length > 0 || type === 'string'),
  );
  if (takes.length !== 1) return [text];
  const { args } = fillSlots({ text, fields: tool.fields, facts, words: index.words, closed: index.closed, given: {} });
  const quoted = tool.fields
    .filter(takesText)
    .some(({ name }) => String(args[name] ?? '').includes(text.slice(last.start, last.end)));
  if (quoted) return [text];
  return list.map(({ start, end }) => text.slice(0, first.start) + text.slice(start, end) + text.slice(last.end));
}

function longestList(text: string, things: readonly Span[]): readonly Span[] {
  let best: readonly Span[] = [];
  for (const [at, thing] of things.entries()) {
    if (/\b(?:not|except|instead of|rather than|but)\s+(?:the |for |on )*$/i.test(text.slice(0, thing.start))) continue;
    const list = [thing];
    for (const next of things.slice(at + 1)) {
      const last = list.at(-1) ?? thing;
      if (next.start < last.end) continue;
      if (next.kind !== thing.kind || !LISTED.test(text.slice(last.end, next.start))) break;
      list.push(next);
    }
    if (list.length > best.length && list.length <= MOST_THINGS) best = list;
  }
  return best;
}
