import type { Surroundings } from '../requests/understanding.ts';
import type { Condition } from '../moods/conditions.ts';
import { readCondition } from '../moods/conditions.ts';
import { takesText } from '../slots/field-kinds.ts';
import { headOf } from '../slots/free-text.ts';
import { findMentions } from '../text/mentions.ts';
import { stepForTool } from '../requests/requests.ts';
import { type Step, sayStep } from './step.ts';
import { sensesOf, wordsOf } from '../text/tokens.ts';
import { understand } from '../requests/understanding.ts';
import { WORDS, asLine } from '../words.ts';

const SHOWN_LENGTH = 100;
/** Looking at something else than what the condition says tells nothing about it. */
const SURELY_SEEN = 0.55;

/**
 * What to do about an order with a condition: look first whether it is so, and offer to go on. Says what it cannot look at.
 * Null when the text has no condition, or orders nothing that changes anything.
 */
export function stepForCondition(text: string, around: Surroundings): Step | null {
  const { facts, index } = around;
  const read = readCondition(text, index.orders);
  if (!read) return null;
  const free = headOf(text, findMentions(text, facts, index.words, index.closed), index.words);
  const order = wholeOrder(read, around);
  const { matches, spokenOf } = understand(order, around);
  const tool = matches[0]?.tool ?? spokenOf;
  // What a new thing shall do when something happens is said of it, and ordered of nobody.
  if (!tool?.installed || tool.reads || free.text.length < text.length) return null;
  if (tool.fields.some((field) => field.required && takesText(field) && field.entity !== 'text')) return null;
  const look = lookAt(read.condition, order, around);
  if (look && (look.kind === 'call' || look.kind === 'load')) return { ...look, offer: order };
  return sayStep(WORDS.cannotSee(asLine(read.condition, SHOWN_LENGTH), asLine(order, SHOWN_LENGTH)), 'cannot');
}

/** The look that tells whether a condition holds; null when no tool sees it. */
function lookAt(condition: string, order: string, around: Surroundings): Step | null {
  const { facts, index } = around;
  const kindsOf = (text: string) => findMentions(text, facts, index.words, index.closed);
  const named = new Set(kindsOf(condition).map(({ kind }) => kind));
  const besides = kindsOf(order).filter(({ kind }) => !named.has(kind));
  const asked = [condition.replace(/\?+$/, ''), ...besides.map(({ name }) => name)].join(' ');
  const { matches } = understand(`${asked}?`, { ...around, last: null });
  const [best] = matches.filter(({ tool }) => tool.installed && (tool.reads || tool.name.startsWith('diagnose_')));
  if (!best || best.score < SURELY_SEEN || !saysSomething(condition, around)) return null;
  // It must be able to look at what the order is about.
  const about = new Set([...named, ...besides.map(({ kind }) => kind)]);
  const takes = (kind: string | null): boolean => kind !== null && about.has(kind);
  if (about.size > 0 && !best.tool.fields.some(({ entity }) => takes(entity))) return null;
  const fitting = besides.filter(({ kind }) => best.tool.fields.some(({ entity }) => entity === kind));
  return stepForTool(best.tool, [condition, ...fitting.map(({ name }) => name)].join(' '), {}, around);
}

/** Whether the condition speaks of anything that a tool knows: "ben agrees" does not. */
function saysSomething(condition: string, { facts, index }: Surroundings): boolean {
  const mentions = findMentions(condition, facts, index.words, index.closed);
  const plain = mentions.reduceRight((left, { start, end }) => `${left.slice(0, start)} ${left.slice(end)}`, condition);
  return wordsOf(plain).some((word) => sensesOf(word).some(({ meaning }) => index.words.has(meaning)));
}

/** The order so that it can stand alone: with the names that only the condition says. */
function wholeOrder({ condition, order }: Condition, { facts, index, last }: Surroundings): string {
  const own = findMentions(order, facts, index.words, index.closed);
  const said = findMentions(condition, facts, index.words, index.closed).filter(
    ({ kind }) => !own.some((mention) => mention.kind === kind),
  );
  const project =
    said.find(({ kind }) => kind === 'project')?.name ??
    (own.some(({ kind }) => kind === 'project') ? undefined : (facts.currentProject ?? projectOf(last?.args)));
  const place = said.find(({ kind }) => kind === 'environment')?.name;
  let whole = order.trim();
  if (project !== undefined) {
    const named = whole
      .replace(/\bits (\p{L}+)/iu, `the $1 of ${project}`)
      .replace(/\b(?:it|this|that|them)\b(?! \p{L}+ of\b)/iu, project);
    whole = named === whole ? withProject(whole, project) : named;
  }
  return place === undefined ? whole : `${whole} in ${place}`;
}

/** "Deploy 1.9" is about a version of the project, anything else about something of it. */
function withProject(order: string, project: string): string {
  const [, verb, version] = /^(\p{L}+) (?=(v?\d))/u.exec(order) ?? [];
  if (verb === undefined || version === undefined) return `${order} of ${project}`;
  return `${verb} ${project}${order.slice(verb.length)}`;
}

function projectOf(args: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const project = args?.['project'];
  return typeof project === 'string' ? project : undefined;
}

/** Whether a short answer takes what was offered. */
export function takesOffer(text: string): boolean {
  return /^(?:(?:yes|yep|yeah|yup|sure|ok|okay|alright|fine|please|good|great|then|y|ja|do it|do that|do so|go ahead|go for it|go on|please do|proceed|make it so|now)[,.! ]*)+$/i.test(
    text,
  );
}
