import type { Risk, RiskAssessment } from '@signalbox/contracts/governance/action';
import type { Resolved } from '@signalbox/safety/cards/resolved';
import { say } from '@signalbox/messages/say';
import type { Runnable } from '../calls/call.ts';
import type { Tool } from '../calls/tool.ts';
import { foreignPart } from './own-words.ts';

/** What the conversation has seen and what its person said: see `actionFacts`. */
export interface Seen {
  readonly untrusted: readonly string[];
  readonly hasPrivate: boolean;
  /** Text from outside was read in this conversation, ever. */
  readonly isTainted: boolean;
  /** What the person typed themselves since the newest of that. */
  readonly typed: readonly string[];
  /** What stood on the buttons that they pressed since then. */
  readonly pressed: readonly string[];
  /** What they wrote or pressed lately: the alarm does not ring for it. */
  readonly said: readonly string[];
}

const NEXT: Readonly<Record<Risk, Risk>> = { safe: 'sensitive', sensitive: 'dangerous', dangerous: 'dangerous' };
const SCORE: Readonly<Record<Risk, number>> = { safe: 0.1, sensitive: 0.5, dangerous: 0.9 };
/** Production makes the same effect weigh more. */
const PRODUCTION_SCORE = 0.05;

/**
 * Where a call comes from, as far as that matters. `foreign`: the part of it that is not in the person's own words, where text from
 * outside was read; this is the gate. `source`: an argument that stands in such text; a second alarm, which raises the risk. Records
 * of before have no `foreign`.
 */
export interface Taint {
  readonly source: string | null;
  readonly foreign?: string | null | undefined;
  readonly hasPrivate: boolean;
  /** How old the words of the turn were when they came in. Left out when they were not old. */
  readonly ageMs?: number | undefined;
  /** The offer that was pressed for exactly this action, by its hash. */
  readonly pressed?: string | undefined;
}

/** What a conversation has to do with these arguments. What only reads, and tells nobody, is not tainted by anything. */
export function lookForTaint(
  { name, tool, input, resolved = null }: Pick<Runnable, 'name' | 'tool' | 'input' | 'resolved'>,
  seen: Seen,
  ageMs?: number,
): Taint {
  const { hasPrivate, isTainted, typed, pressed } = seen;
  const { risk } = tool.risk(input, resolved);
  if (risk === 'safe' && !tool.egress) return { source: null, foreign: null, hasPrivate };
  return {
    source: taintOf(input, seen),
    foreign: isTainted ? foreignPart(name, tool, input, { typed, pressed }) : null,
    hasPrivate,
    ...(ageMs === undefined ? {} : { ageMs }),
  };
}

/**
 * How bad an action can be: what its tool says of these arguments, raised by one level when an argument stands in text of outside.
 * Pure: the same tool, input, taint and meaning of the input give the same assessment.
 */
export function assess(
  tool: Tool,
  input: unknown,
  { source, foreign = null, hasPrivate, ageMs }: Taint,
  resolved: Resolved | null = null,
): RiskAssessment {
  const { risk: own, reasons, refusal } = tool.risk(input, resolved);
  const risk = source === null ? own : NEXT[own];
  const inProduction = tool.environment(input) === 'production' && risk !== 'safe' ? PRODUCTION_SCORE : 0;
  return {
    risk,
    score: SCORE[risk] + inProduction,
    reasons: [
      ...reasons,
      ...(source === null ? [] : [say('governance.fromOutside', { text: clip(source) })]),
      ...(foreign === null ? [] : [say('governance.notTyped', { text: clip(foreign) })]),
    ],
    tainted: source !== null || foreign !== null,
    touchesPrivate: tool.touchesPrivate || hasPrivate,
    egress: tool.egress,
    ...(ageMs === undefined ? {} : { ageMs }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** Shorter values, such as "web", stand in every text by chance. */
const SHORTEST = 4;
/** A run of this many characters that two texts share is no chance. */
const RUN_LENGTH = 16;

/**
 * The first argument that contains text of an untrusted result, or is contained in one, and that the person has not said themselves;
 * null when there is none. Case and spaces do not matter.
 */
function taintOf(input: unknown, { untrusted, said }: Seen): string | null {
  if (untrusted.length === 0) return null;
  const outside = untrusted.map(normalize);
  const own = normalize(said.join('\n'));
  const isTainted = (value: string): boolean => {
    const text = normalize(value);
    if (text.length < SHORTEST || own.includes(text)) return false;
    return outside.some((seen) => seen.includes(text) || sharesRun(text, seen, own));
  };
  return leaves(input).find(isTainted) ?? null;
}

function sharesRun(text: string, seen: string, own: string): boolean {
  for (let at = 0; at + RUN_LENGTH <= text.length; at += 4) {
    const run = text.slice(at, at + RUN_LENGTH);
    if (seen.includes(run) && !own.includes(run)) return true;
  }
  return false;
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves);
  return [];
}

function normalize(text: string): string {
  // NFKC and the removal of what cannot be seen: letters in disguise are the same letters.
  return text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
