import { type Asked, PLACEHOLDER_WEIGHT, askedFor, impliedWord } from './asked-words.ts';
import type { CapabilityIndex, HintWord, IndexedTool } from './capability-index.ts';
import { EFFECTS, type Sense, VERBS } from '../text/concepts.ts';
import { hasTellingForm, takesIdentifier, takesNewName, takesOneWord, takesVersion } from '../slots/field-kinds.ts';
import {
  UNNAMED_DOUBT,
  foreignNames,
  hit,
  isUnnamed,
  leadingAction,
  pluralBonus,
  untouchedTopic,
  OWN_FORM,
} from './match-doubts.ts';
import { hasUnit, takesAddress } from '../text/quantities.ts';

/** A tool and how well a text asks for it, 0 to 1. */
export interface Match {
  readonly tool: IndexedTool;
  readonly score: number;
}

/** Below it, a text asks for nothing that we know. Chosen on the development half of the phrasings. */
export const CONFIDENT = 0.5;

/** Two tools whose scores lie closer than this are both meant. */
export const CLEAR_LEAD = 0.03;

/** From here on, the text is nearly one of the tool's own hints. */
export const CERTAIN = 0.82;

/** A word that nobody knows counts this much against every tool, an ordinary one less; all of them up to UNKNOWN_LIMIT. */
const UNKNOWN_WEIGHT = 0.45;

const ORDINARY_WEIGHT = 0.15;

const UNKNOWN_LIMIT = 1.6;

/** What only the description of a tool speaks of, and not its hints. */
const ABOUT = 0.5;

/** Two values of one argument, such as archive and reactivate, ask for the same tool. */
const VALUE_SHARE = 0.95;

/** A filler that says something to other tools. */
const SOFT_COST = 0.25;

/**
 * All tools, best first, for a text whose known names are placeholders already (¤project). `implied` are concepts that its mood adds, `topics` what
 * the conversation is about. */
export function matchTools(
  text: string,
  index: CapabilityIndex,
  { implied = [], topics = [] }: { readonly implied?: readonly string[]; readonly topics?: readonly string[] } = {},
): readonly Match[] {
  const asked = [
    ...askedFor(text, index, implied),
    ...topics.map((topic) => ({ ...impliedWord(topic, index), implied: false })),
  ];
  if (asked.length === 0) return [];
  return index.tools
    .map((tool) => ({ tool, score: scoreOf(asked, tool) + NAMED * namedBy(asked, tool) }))
    .sort((left, right) => right.score - left.score);
}

/** So little that it only decides between two that are as near. */
const NAMED = 0.0005;

/** How much of what a tool is called was said: between two that are as near, it decides. */
function namedBy(asked: readonly Asked[], { topics }: IndexedTool): number {
  return asked.filter(({ senses }) => topics.has(senses[0]?.meaning ?? '')).length;
}

function scoreOf(asked: readonly Asked[], tool: IndexedTool): number {
  const outside = asked.map((word) => outsideHint(word, tool));
  let best = 0;
  for (const hint of tool.hints) best = Math.max(best, likeness(asked, outside, hint, tool, best));
  return (
    best -
    UNNAMED_DOUBT * tool.fields.filter((field) => isUnnamed(field, asked)).length -
    foreignNames(asked, tool) -
    leadingAction(asked, tool) -
    untouchedTopic(asked, tool) +
    pluralBonus(asked, tool) +
    (asked.some(({ word }) => tool.fields.some((field) => word === `¤${field.name}` && hasTellingForm(field)))
      ? OWN_FORM
      : 0)
  );
}

/** How much of the question the hint covers, and of the hint the question; the first counts double. Nothing that is not above `least`. */
function likeness(
  asked: readonly Asked[],
  outside: readonly number[],
  hint: readonly HintWord[],
  tool: IndexedTool,
  least: number,
): number {
  const anyName = asked.some(({ kind }) => kind === 'name' || kind === 'value');
  const valued = hint.some(({ isValue }) => isValue) && asked.some((word) => tool.values.has(word.stem));
  let hintCovered = 0;
  let hintTotal = 0;
  for (const word of hint) {
    const weight = word.isPlaceholder ? PLACEHOLDER_WEIGHT / 2 : word.weight;
    let share = word.isPlaceholder && anyName ? 1 : 0;
    if (valued && word.isValue) share = VALUE_SHARE;
    for (const { near } of asked) share = Math.max(share, near[word.id] ?? 0);
    hintTotal += weight;
    hintCovered += weight * share;
  }
  const ofHint = hintCovered / hintTotal;
  if (ofHint === 0 || combined(1, ofHint) <= least) return 0;
  const named = hint.some(isAny);
  let covered = 0;
  let total = 0;
  let unknown = 0;
  for (const [at, word] of asked.entries()) {
    const value = valued && tool.values.has(word.stem) ? VALUE_SHARE : 0;
    const share = Math.max(hit(word, hint), value, outsideOf(word, outside[at] ?? 0, named, tool));
    covered += word.weight * share;
    if (word.kind === 'unknown' || word.kind === 'ordinary') {
      unknown += word.kind === 'unknown' ? UNKNOWN_WEIGHT : ORDINARY_WEIGHT;
      total += word.weight * share;
    } else total += word.weight * missCost(word, share);
  }
  if (covered === 0) return 0;
  const score = combined(covered / (total + Math.min(UNKNOWN_LIMIT, unknown)), ofHint);
  return score > least && speaksOf(asked, outside, hint, tool) ? score : 0;
}

function combined(ofQuestion: number, ofHint: number): number {
  return (1.5 * ofQuestion * ofHint) / (0.5 * ofQuestion + ofHint);
}

/** A word that only sometimes means something of ours costs less when the tool does not speak of it. */
function missCost({ senses, soft }: Asked, share: number): number {
  if (soft) return Math.max(share, SOFT_COST);
  const surest = Math.max(...senses.map((sense) => sense.share));
  return Math.max(share, surest < 1 ? 0.6 : 1);
}

function isAny({ senses }: HintWord): boolean {
  return senses[0]?.meaning === '¤any';
}

/** Verbs alone say nothing: "what is …" and "make …" need a thing that the tool knows, or a hint that is as short. */
function speaksOf(
  all: readonly Asked[],
  outside: readonly number[],
  hint: readonly HintWord[],
  tool: IndexedTool,
): boolean {
  const isVerb = ({ senses }: { readonly senses: readonly Sense[] }): boolean =>
    senses.every(({ meaning }) => VERBS.has(meaning));
  const isName = ({ senses }: HintWord): boolean => senses[0]?.meaning.startsWith('¤') ?? false;
  const named = hint.some(isAny);
  const said = all.flatMap((word, at) =>
    word.implied ? [] : [{ word, outside: outsideOf(word, outside[at] ?? 0, named, tool) }],
  );
  const names = said.some(({ word, outside: share }) => word.kind === 'name' && share >= 0.5);
  if (hint.every((word) => isVerb(word) || isName(word))) {
    // "status" alone asks for the status of something; "show" alone for nothing.
    const bare = said.every(({ word }) => isVerb(word)) && hint.some(({ senses }) => senses[0]?.meaning === 'STATUS');
    return hint.every((word) =>
      isName(word) ? names || bare : said.some((one) => (one.word.near[word.id] ?? 0) >= 0.5),
    );
  }
  if (said.filter(({ word }) => isVerb(word) && hint.some(({ id }) => word.near[id] === 1)).length > 1) return true;
  // Numbers are evidence beside an action or a name, not by themselves.
  const acts =
    names || said.some(({ word }) => word.senses.some(({ meaning }) => EFFECTS.has(meaning)) && hit(word, hint) >= 0.9);
  return said.some(
    ({ word, outside: share }) =>
      !isVerb(word) && (word.kind !== 'value' || acts) && Math.max(hit(word, hint), share) >= 0.5,
  );
}

/** A name that the tool does not take may still stand where a hint has one. */
function outsideOf({ kind, word }: Asked, share: number, named: boolean, tool: IndexedTool): number {
  if (kind !== 'name' || share > 0 || !named) return share;
  const takesNames = tool.fields.some(({ entity, choices }) => entity !== null && choices.length === 0);
  if (word === '¤unknown') return 0.8;
  return takesNames ? 0.2 : 0.9;
}

/** What no hint says but the tool can take: names and numbers for its fields, words of its description. */
function outsideHint({ word, senses, kind, stem: stemmed }: Asked, tool: IndexedTool): number {
  if (kind === 'value') return valueShare(word, tool);
  if (kind !== 'name' && tool.values.has(stemmed)) return 0.9;
  if (kind !== 'name')
    return Math.max(0, ...senses.map(({ meaning, share }) => (tool.about.has(meaning) ? ABOUT * share : 0)));
  if (word === '¤unknown')
    return tool.fields.some(({ entity, choices }) => entity !== null && choices.length === 0) ? 0.8 : 0;
  const kinds = word.slice(1).split('+');
  const takes = tool.fields.filter(
    ({ entity, name }) => (entity !== null && kinds.includes(entity)) || kinds.includes(name),
  );
  if (takes.some((field) => field.required)) return 1;
  if (takes.length > 0) return 0.9;
  return tool.installed ? 0 : 0.5;
}

function valueShare(word: string, tool: IndexedTool): number {
  const numeric = tool.fields.filter((field) => field.type === 'integer' || field.type === 'number');
  if (word === '¤number') {
    if (numeric.some(({ name, required, entity }) => (required && !hasUnit(name)) || entity === 'port')) return 0.9;
    return numeric.length > 0 || tool.fields.some(takesVersion) ? 0.5 : 0;
  }
  if (word === '¤size') return numeric.some((field) => hasUnit(field.name)) ? 0.9 : 0;
  if (word === '¤url') return tool.fields.some(takesAddress) ? 1 : 0;
  if (word === '¤version') return tool.fields.some(takesVersion) ? 0.9 : 0;
  if (word === '¤program') return tool.fields.some((field) => field.required && takesIdentifier(field)) ? 0.9 : 0;
  if (word === '¤host') return tool.fields.some(takesOneWord) ? 1 : 0;
  if (word === '¤called') return tool.fields.some(takesNewName) ? 1 : 0.2;
  return tool.fields.some((field) => field.entity === 'text' || field.entity === 'name') ? 1 : 0.5;
}
