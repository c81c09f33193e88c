import type { CapabilityIndex, IndexedTool } from './capability-index.ts';
import type { Field } from './schema.ts';
import { hasUnit, takesAddress, withValuePlaceholders } from './quantities.ts';
import { forgiven, typosBetween } from './spelling.ts';
import { meaningOf, meaningsOf } from './tokens.ts';
import { NEAR, VERBS } from './vocabulary.ts';

/** A tool and how well a text asks for it, 0 to 1. */
export interface Match {
  readonly tool: IndexedTool;
  readonly score: number;
}

/** Below it, a text asks for nothing that we know. Chosen on the development half of the phrasings. */
export const CONFIDENT = 0.5;
/** Two tools whose scores lie closer than this are both meant. */
export const CLEAR_LEAD = 0.05;
/** From here on, the text is nearly one of the tool's own hints. */
export const CERTAIN = 0.82;

/** A word that no tool speaks of counts this much against every tool, up to UNKNOWN_LIMIT in total: it may be a name or a purpose. */
const UNKNOWN_WEIGHT = 0.6;
const UNKNOWN_LIMIT = 2.4;
/** Longer texts are read up to here: what somebody wants stands at the front. */
const READ_WORDS = 60;
/** Placeholders (a name, a number) tell less than words: half of the tools take one. */
const PLACEHOLDER_WEIGHT = 0.7;

/** "show projects" is rather about all projects than about one that is not named. */
const UNNAMED_DOUBT = 0.05;

/** What people ask for by its name alone: "port for shop". */
const THINGS: ReadonlySet<string> = new Set(['port', 'server', 'project']);

const NEARNESS: ReadonlyMap<string, number> = new Map(
  NEAR.flatMap(([left, right, share]) => [
    [`${left} ${right}`, share],
    [`${right} ${left}`, share],
  ]),
);

/** All tools, best first, for a text whose known names are placeholders already (¤project). */
export function matchTools(text: string, index: CapabilityIndex): readonly Match[] {
  const asked = askedFor(text, index);
  if (asked.length === 0) return [];
  return index.tools
    .map((tool) => ({ tool, score: scoreOf(asked, tool, index) }))
    .sort((left, right) => right.score - left.score);
}

/** What a text asks for, as meanings that the index knows wherever a typing mistake explains the difference. */
function askedFor(text: string, index: CapabilityIndex): readonly string[] {
  // Mistyped words are corrected as they are written: their stems would be mistyped twice.
  const corrections = new Map<string, string>();
  const meaning = (word: string): string => {
    const own = meaningOf(word);
    if (isKnown(own, index)) return own;
    const corrected = corrections.get(word) ?? correct(word, index) ?? own;
    corrections.set(word, corrected);
    return corrected;
  };
  const asked = [...new Set(meaningsOf(withValuePlaceholders(text), meaning, READ_WORDS))];
  // A name alone means: tell me about it. "servers" alone means: show them. "port for shop" means: I want one.
  if (asked.length > 0 && asked.every(isName)) return [...asked, 'LIST'];
  const bareNouns = asked.length > 0 && asked.every((word) => !VERBS.has(word));
  if (!bareNouns) return asked;
  if (asked.length < 3 && /\b\p{L}+s\b/u.test(text)) return [...asked, 'LIST'];
  return THINGS.has(asked[0] ?? '') && asked.some(isName) ? [...asked, 'WANT'] : asked;
}

function isKnown(word: string, index: CapabilityIndex): boolean {
  return /^[A-Z¤]/.test(word) || index.words.has(word);
}

function correct(word: string, index: CapabilityIndex): string | null {
  const limit = forgiven(word.length);
  if (limit === 0) return null;
  let best: { meaning: string; typos: number } | null = null;
  const [first, second] = word;
  for (const [spelling, meaning] of index.spellings) {
    // The first letter is hardly ever wrong, but it may be swapped, missing or doubled.
    if (spelling.length < 4 || (spelling[0] !== first && spelling[1] !== first && spelling[0] !== second)) continue;
    const typos = typosBetween(word, spelling, limit);
    if (typos <= limit && (!best || typos < best.typos)) best = { meaning, typos };
  }
  return best?.meaning ?? null;
}

function scoreOf(asked: readonly string[], tool: IndexedTool, index: CapabilityIndex): number {
  const best = Math.max(...tool.hints.map((hint) => likeness(asked, hint, tool, index)));
  return best - UNNAMED_DOUBT * tool.fields.filter((field) => isUnnamed(field, asked)).length;
}

/** Whether the tool is about one thing of a kind, and the text names none. */
function isUnnamed({ required, entity, choices }: Field, asked: readonly string[]): boolean {
  if (!required || entity === null || choices.length > 0 || entity === 'text') return false;
  return !asked.some((word) => word.startsWith('¤'));
}

/** How much of the question the hint covers, and of the hint the question; the first counts double. */
function likeness(
  asked: readonly string[],
  hint: readonly string[],
  tool: IndexedTool,
  index: CapabilityIndex,
): number {
  let covered = 0;
  let total = 0;
  let unknown = 0;
  for (const word of asked) {
    if (!isKnown(word, index)) {
      unknown += UNKNOWN_WEIGHT;
      continue;
    }
    const weight = weightOf(word, index);
    total += weight;
    covered += weight * Math.max(hit(word, hint), outsideHint(word, hint, tool));
  }
  let hintCovered = 0;
  let hintTotal = 0;
  for (const word of hint) {
    const weight = word.startsWith('¤') ? PLACEHOLDER_WEIGHT / 2 : weightOf(word, index);
    hintTotal += weight;
    hintCovered +=
      weight * Math.max(hit(word, asked), word.startsWith('¤') && asked.some((other) => other.startsWith('¤')) ? 1 : 0);
  }
  if (covered === 0 || hintCovered === 0 || !speaksOf(asked, hint, tool)) return 0;
  const ofQuestion = covered / (total + Math.min(UNKNOWN_LIMIT, unknown));
  const ofHint = hintCovered / hintTotal;
  return (1.5 * ofQuestion * ofHint) / (0.5 * ofQuestion + ofHint);
}

/** Whether a placeholder stands for the name of something, and not for a number, an address or a quote. */
function isName(word: string): boolean {
  return word.startsWith('¤') && !['¤number', '¤size', '¤version', '¤url', '¤quoted'].includes(word);
}

/** Verbs alone say nothing: "what is …" and "make …" need a thing that the tool knows, or a hint that is as short. */
function speaksOf(asked: readonly string[], hint: readonly string[], tool: IndexedTool): boolean {
  const names = asked.filter((word) => isName(word) && outsideHint(word, hint, tool) >= 0.5);
  if (hint.every((word) => VERBS.has(word) || isName(word)))
    return hint.every((word) => (isName(word) ? names.length > 0 : hit(word, asked) >= 0.5));
  if (asked.filter((word) => VERBS.has(word) && hint.includes(word)).length > 1) return true;
  return asked.some((word) => !VERBS.has(word) && Math.max(hit(word, hint), outsideHint(word, hint, tool)) >= 0.5);
}

function weightOf(word: string, index: CapabilityIndex): number {
  return word.startsWith('¤') ? PLACEHOLDER_WEIGHT : (index.weight.get(word) ?? 1);
}

function hit(word: string, others: readonly string[]): number {
  if (others.includes(word)) return 1;
  return Math.max(0, ...others.map((other) => NEARNESS.get(`${word} ${other}`) ?? 0));
}

/** What the hint does not say but the tool can take: names and numbers for its fields, words of its description. */
function outsideHint(word: string, hint: readonly string[], tool: IndexedTool): number {
  if (!word.startsWith('¤')) return tool.about.has(word) ? 0.5 : 0;
  const kind = word.slice(1);
  const numeric = tool.fields.filter((field) => field.type === 'integer' || field.type === 'number');
  if (kind === 'number') return numeric.length > 0 ? 0.9 : 0;
  if (kind === 'size') return numeric.some((field) => hasUnit(field.name)) ? 0.9 : 0;
  if (kind === 'url') return tool.fields.some(takesAddress) ? 1 : 0;
  if (kind === 'quoted')
    return tool.fields.some((field) => field.entity === 'text' || field.entity === 'name') ? 1 : 0.5;
  const takesNames = tool.fields.some(({ entity, choices }) => entity !== null && choices.length === 0);
  if (kind === 'unknown') return takesNames || hint.includes('¤any') ? 0.8 : 0;
  const kinds = kind.split('+');
  const takes = tool.fields.filter((field) => field.entity !== null && kinds.includes(field.entity));
  if (takes.some((field) => field.required)) return 1;
  if (takes.length > 0) return 0.9;
  if (hint.includes('¤any')) return takesNames ? 0.2 : 0.9;
  return tool.installed ? 0 : 0.5;
}
