import type { Risk, RiskAssessment } from '@signalbox/contracts/governance/action';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';
import { say } from '@signalbox/messages/say';
import type { RunnableCall } from '../calls/call.ts';
import type { ThreadTaint } from '@signalbox/store/governance/governance-facts';
import type { Tool } from '../calls/tool.ts';
import { findUnstatedValue } from './own-words.ts';

const NEXT: Readonly<Record<Risk, Risk>> = { safe: 'sensitive', sensitive: 'dangerous', dangerous: 'dangerous' };
const SCORE: Readonly<Record<Risk, number>> = { safe: 0.1, sensitive: 0.5, dangerous: 0.9 };
const PRODUCTION_SCORE = 0.05;

/**
 * The origin of a call. `foreign`: the part that is not in the person's own words, after outside text was read; such a call needs a
 * confirmation. `source`: an argument found in outside text, which raises the risk. Older records have no `foreign`.
 */
export interface Taint {
  readonly source: string | null;
  readonly foreign?: string | null | undefined;
  readonly hasPrivate: boolean;
  /** Age of the turn's words at arrival; absent for recent words. */
  readonly ageMs?: number | undefined;
  /** The hash of the pressed offer for exactly this action. */
  readonly pressed?: string | undefined;
}

/** Finds the taint of these arguments. Reads that send nothing out are never tainted. */
export function findTaint(
  { name, tool, input, resolved = null }: Pick<RunnableCall, 'name' | 'tool' | 'input' | 'resolved'>,
  seen: ThreadTaint,
  ageMs?: number,
): Taint {
  const { hasPrivate, isTainted, typed, pressed } = seen;
  const { risk } = tool.risk(input, resolved);
  if (risk === 'safe' && !tool.egress) return { source: null, foreign: null, hasPrivate };
  return {
    source: taintOf(input, seen),
    foreign: isTainted ? findUnstatedValue(name, tool, input, { typed, pressed }) : null,
    hasPrivate,
    ...(ageMs === undefined ? {} : { ageMs }),
  };
}

/** Decides the risk of an action: the tool's own risk, one level higher when an argument is found in outside text. Pure. */
export function decideRisk(
  tool: Tool,
  input: unknown,
  { source, foreign = null, hasPrivate, ageMs }: Taint,
  resolved: ResolvedRefs | null = null,
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

/** Minimum length of a compared value: shorter values, such as "web", occur by chance. */
const SHORTEST = 4;
/** Minimum length of a shared run of characters that is no coincidence. */
const RUN_LENGTH = 16;

/** Finds the first argument that the person did not say and an untrusted result contains; null when there is none. */
function taintOf(input: unknown, { untrusted, said }: ThreadTaint): string | null {
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
  // The text is normalized to NFKC without invisible characters, so that disguised letters are compared as the letters they imitate.
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
