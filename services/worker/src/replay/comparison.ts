import { hashCanonical, toCanonicalJson } from '@signalbox/safety/cards/canonical';
import type { PassRecord, RecordedCall, RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { hashAction } from '@signalbox/governance/proposal';
import { splitPhasesByCall } from '../loop/fsm.ts';

export interface ReplayDifference {
  /** null: the difference concerns the whole turn. */
  readonly pass: number | null;
  readonly what: string;
  readonly recorded: string;
  readonly now: string;
}

/** The first difference between recorded and replayed passes; null when there is none. Pure. */
export function comparePasses(recorded: readonly PassRecord[], now: readonly PassRecord[]): ReplayDifference | null {
  for (const [index, was] of recorded.entries()) {
    const is = now[index];
    if (!is) return { pass: was.pass, what: 'passes', recorded: String(recorded.length), now: String(now.length) };
    const found = comparePass(was, is);
    if (found) return { pass: was.pass, ...found };
  }
  if (now.length === recorded.length) return null;
  return { pass: null, what: 'passes', recorded: String(recorded.length), now: String(now.length) };
}

type FirstDifference = Omit<ReplayDifference, 'pass'> | null;

const VERSIONED = ['prompt', 'tools', 'state'] as const;
export type VersionedPart = (typeof VERSIONED)[number];

/** Lists which of prompt, tools and state have other versions in the replay than in the recording. Pure. */
export function findOtherVersions(
  recorded: readonly PassRecord[],
  now: readonly PassRecord[],
): readonly VersionedPart[] {
  return VERSIONED.filter((one) => recorded.some((was, index) => was.versions[one] !== now[index]?.versions[one]));
}

function comparePass(was: PassRecord, is: PassRecord): FirstDifference {
  return (
    compareAsks(was, is) ??
    differ('answer', hashed(was.answer), hashed(likeRecord(was.answer, is.answer))) ??
    compareCalls(was, is) ??
    differ('phases', wayOf(was), wayOf(is)) ??
    differ('verdict of the judge', was.outcome, is.outcome)
  );
}

/** Lists the phases of a pass's governed calls; older records name further phases, which are left out. */
function wayOf({ phases, calls }: PassRecord): string {
  const ways = splitPhasesByCall(phases).map((way, place) => (calls[place]?.decided === null ? ['OBSERVING'] : way));
  return [...ways.flat(), ...phases.slice(phases.lastIndexOf('OBSERVING') + 1)].join(' ');
}

/** Leaves out the provider's id of an answer when an older record lacks that id. */
function likeRecord(was: PassRecord['answer'], is: PassRecord['answer']): PassRecord['answer'] {
  if (!was || !is || was.modelId !== undefined) return is;
  const { modelId: _, ...rest } = is;
  return rest;
}

/** Compares the model's input. Hashes that depend on a changed prompt or tool version are skipped; messages always count. */
function compareAsks(was: PassRecord, is: PassRecord): FirstDifference {
  const hasTools = was.versions.tools === is.versions.tools;
  const hasPrompt = hasTools && was.versions.prompt === is.versions.prompt;
  for (const [index, ask] of was.asks.entries()) {
    const context = is.asks[index]?.context;
    const found =
      (hasPrompt ? differ(`system prompt of ${ask.node}`, ask.context.system, context?.system) : null) ??
      differ(`messages that ${ask.node} was given`, ask.context.messages, context?.messages) ??
      (hasTools ? differ(`tools that ${ask.node} was given`, ask.context.tools, context?.tools) : null) ??
      (hasPrompt ? differ(`context of ${ask.node}`, ask.context.hash, context?.hash) : null);
    if (found) return found;
  }
  return differ('questions to models', was.asks.length, is.asks.length);
}

function compareCalls(was: PassRecord, is: PassRecord): FirstDifference {
  for (const call of was.calls) {
    const other = is.calls.find(({ callId }) => callId === call.callId);
    const tool = was.answer?.calls.find(({ id }) => id === call.callId)?.name ?? call.callId;
    if (!other) return { what: `call of ${tool}`, recorded: 'carried out', now: 'not made' };
    const found = compareCall(call, other, tool);
    if (found) return found;
  }
  return differ('calls', was.calls.length, is.calls.length);
}

function compareCall(was: RecordedCall, is: RecordedCall, tool: string): FirstDifference {
  return compareDecisions(was.decided, is.decided, tool) ?? differ(`result of ${tool}`, was.seen, is.seen);
}

/** The first difference between two decisions about a call of `tool`; null when there is none. */
export function compareDecisions(
  was: RecordedDecision | null,
  is: Pick<RecordedDecision, 'action' | 'question' | 'decision'> | null,
  tool: string,
): FirstDifference {
  if (!was || !is) return was === is ? null : differ(`decision about ${tool}`, effectOf(was), effectOf(is));
  const [then, now] = [was.decision, is.decision];
  return (
    differ(`proposal of ${tool}`, hashAction(was.action), hashAction(is.action)) ??
    differ(`risk of ${tool}`, riskOf(was), riskOf(is)) ??
    differ(`question to policy about ${tool}`, json(was.question), json(is.question)) ??
    differ(`effect of the decision about ${tool}`, then.effect, now.effect) ??
    differ(`rule of the decision about ${tool}`, then.rule, now.rule) ??
    differ(`score of the decision about ${tool}`, then.score, now.score) ??
    differ(`policy of the decision about ${tool}`, then.policyVersion, now.policyVersion) ??
    differ(`approval that ${tool} takes`, json(then.approval), json(now.approval)) ??
    differ(`sentence of the decision about ${tool}`, then.sentence, now.sentence)
  );
}

/** Compares a decision without its sentences, which depend on language and release. */
function riskOf({ action }: Pick<RecordedDecision, 'action'>): string {
  const { reasons: _said, ...decisive } = action.assessment;
  return json(decisive);
}

function effectOf(decided: Pick<RecordedDecision, 'decision'> | null): string {
  return decided ? `${decided.decision.effect} by ${decided.decision.rule}` : 'none';
}

function differ(what: string, was: string | number | null, is: string | number | null | undefined): FirstDifference {
  if (was === is) return null;
  return { what, recorded: String(was), now: is === undefined ? 'nothing' : String(is) };
}

function json(value: unknown): string {
  return toCanonicalJson(JSON.parse(JSON.stringify(value)));
}

function hashed(value: unknown): string {
  return hashCanonical(JSON.parse(JSON.stringify(value)));
}
