import { z } from 'zod';
import { runInLanguage } from '@signalbox/messages/language';
import { OFFLINE } from '@signalbox/models/settings';
import type { ExecutionTurn, RecordedTurnRun, RecordedAnswer } from '@signalbox/contracts/governance/execution-turn';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { makeAnswerId } from '@signalbox/contracts/ids';
import { AIMessage } from '@langchain/core/messages';
import { toReasoningExtras } from '@signalbox/models/answers/reasoning';
import type { Agent, AgentDeps, AgentPlugin, AgentRecord, AgentRun } from '../agents/agent.ts';
import { INTENT_PARSER } from '../agents/product-owner/intent-parser.ts';
import { evaluatePass } from '../loop/evaluation.ts';
import { createPhaseMachine, getNewestPass } from '../loop/fsm.ts';
import { decideGroups } from '@signalbox/governance/loading';
import type { ToolRegistry } from '../tools/registry.ts';
import {
  compareDecisions,
  comparePasses,
  findOtherVersions,
  type ReplayDifference,
  type VersionedPart,
} from './comparison.ts';
import { ReplayCursor, type HaltReason } from './cursor.ts';
import { mergeDecisions } from '@signalbox/governance/plans/plan-proposal';
import { replayDecision } from './decision.ts';
import { toToolCallResult } from './result.ts';
import type { ReplayStates } from './states.ts';

/** The result of replaying one turn. An incomplete replay never counts as equal. */
export type ReplayOutcome =
  /** `otherVersions`: parts whose version has changed since; prompts and tools were not compared. */
  | { readonly kind: 'same'; readonly otherVersions?: readonly VersionedPart[] }
  | { readonly kind: 'different'; readonly difference: ReplayDifference }
  /** No agent took part, so there is nothing to compare. */
  | { readonly kind: 'nothing'; readonly why: string }
  | { readonly kind: 'not-replayable'; readonly why: string };

/** Dependencies of a replay, none of which has effects. */
export interface ReplayDeps {
  readonly registry: ToolRegistry;
  readonly plugin: AgentPlugin;
  /** The agents that this one may offer. */
  readonly others: AgentDeps['others'];
  readonly states: ReplayStates;
  /** The engine of a former policy set; null when the set was not kept. */
  engine(version: string, timeZone: string): Promise<PolicyEngine | null>;
}

/** Replays a recorded turn. The conversation's state has to be as it was when the turn began. */
export async function replayTurn(parts: ReplayDeps, records: readonly ExecutionTurn[]): Promise<ReplayOutcome> {
  const [first] = records;
  const ended = records.at(-1)?.ended;
  if (!first?.began || !ended) return { kind: 'not-replayable', why: 'its first or last record is missing' };
  if (isBeforeProvenance(records)) return { kind: 'not-replayable', why: 'made before provenance by value' };
  const early = await compareResume(parts, first);
  if (early) return early;
  if (first.began.threadOver) return { kind: 'same' };
  const cursor = new ReplayCursor(records, ended);
  const outcome = await goThrough(parts, { records, head: first, began: first.began, ended }, cursor);
  if ('kind' in outcome) return resultOf(outcome);
  const passes = records.filter(({ pass }) => pass > 0);
  // Compares the passes in their stored form: values that JSON drops are no difference.
  const now = JSON.parse(JSON.stringify(outcome.record.passes)) as typeof passes;
  const difference = comparePasses(passes, now);
  if (difference) return { kind: 'different', difference };
  if (outcome.ended !== ended.outcome)
    return differs(null, { what: 'end of the turn', recorded: ended.outcome, now: outcome.ended });
  const versions = findOtherVersions(passes, now);
  return versions.length > 0 ? { kind: 'same', otherVersions: versions } : { kind: 'same' };
}

/** The first state of the default agent whose results hold envelopes, and whose calls are judged by value. */
const FIRST_BY_VALUE = 5;

/** True for a turn whose results and decisions were made from what its conversation had read. */
function isBeforeProvenance(records: readonly ExecutionTurn[]): boolean {
  return records.some(
    ({ agent, versions, calls, asks }) =>
      asks.some(isOneActionAnswer) ||
      (SHARED_STATE.has(agent) && versions.state > 0 && versions.state < FIRST_BY_VALUE) ||
      calls.some(({ decided }) => decided?.taint?.source !== undefined),
  );
}

/** True for an answer of a model to a guided agent that took one action a message, and was shown the message alone. */
function isOneActionAnswer({ answer }: ExecutionTurn['asks'][number]): boolean {
  if (answer === null) return false;
  return answer.calls.some(({ name }) => name === 'choose_action') || /^\s*\{\s*"action"/.test(answer.text);
}

/** Agents with the state of the default agent. */
const SHARED_STATE: ReadonlySet<string> = new Set(['product_owner', 'repo_analyst']);

interface Recorded {
  readonly records: readonly ExecutionTurn[];
  readonly head: ExecutionTurn;
  readonly began: NonNullable<ExecutionTurn['began']>;
  readonly ended: NonNullable<ExecutionTurn['ended']>;
}

/** Replays the turn's runs, which crashes separated, until the turn ends. */
async function goThrough(
  parts: ReplayDeps,
  recorded: Recorded,
  cursor: ReplayCursor,
): Promise<{ readonly record: AgentRecord; readonly ended: string } | Exclude<HaltReason, { kind: 'resume' | 'cut' }>> {
  const { head, began, ended } = recorded;
  const agent = createAgent(parts, head, cursor);
  for (let resume = false; began.messages.length > 0; resume = true) {
    const run = cursor.begin();
    const messages = began.messages.slice(0, run.came);
    try {
      const given = { messages, run: replayRun(parts, recorded, run, cursor), resume, threadNew: began.isNew };
      const result = await runInLanguage(run.language, () => agent.run(given));
      // A turn with a note was cut after its last event.
      if (!cursor.goesOn() && ended.note !== null) break;
      if (!cursor.goesOn()) return { record: result.record, ended: result.outcome };
      if (run.turnId === cursor.nextRun().turnId)
        return { kind: 'differs', what: 'steps', recorded: 'more', now: 'the end of the turn' };
    } catch (error) {
      if (!cursor.halt) throw error;
      if (cursor.halt.kind === 'cut') break;
      if (cursor.halt.kind !== 'resume') return cursor.halt;
    }
  }
  const { run, note, about = null, event } = ended;
  const noted = { run: { ...run, threadId: head.threadId }, messages: began.messages, isNew: began.isNew };
  const record = await runInLanguage(run.language, () => agent.note({ ...noted, text: note ?? '', about, event }));
  return { record, ended: ended.outcome };
}

function createAgent(
  { plugin, registry, states, others }: ReplayDeps,
  head: ExecutionTurn,
  cursor: ReplayCursor,
): Agent {
  return plugin.create({
    registry,
    others,
    checkpoints: states,
    maxPasses: head.maxPasses,
    knownNames: () => Promise.resolve(cursor.names()),
    context: () => Promise.resolve(cursor.context()),
    cameOf: () => Promise.resolve(cursor.calls()),
    search: () => Promise.resolve(toToolCallResult(cursor.search().result)),
    readResult: () => Promise.resolve(toToolCallResult(cursor.search().result)),
    model: (node) => ({
      // An agent that recorded no model must not ask a model in the replay. Only a planner's intent parser asks.
      get name() {
        if (node === INTENT_PARSER) return cursor.asksNext(node) ? OFFLINE : 'recorded';
        return cursor.asksNext() ? 'recorded' : OFFLINE;
      },
      ask: () => {
        const { answer, model } = cursor.ask(node);
        return Promise.resolve({ message: answerMessage(answer), model });
      },
    }),
  });
}

/** Creates the replayed agent's run, which reads the record and has no effect. */
function replayRun(
  parts: ReplayDeps,
  { records, head }: Recorded,
  run: RecordedTurnRun,
  cursor: ReplayCursor,
): AgentRun {
  const machine = createPhaseMachine();
  let record: ExecutionTurn | null = null;
  return {
    turnId: run.turnId,
    threadId: head.threadId,
    traceId: '',
    chatKey: head.chatKey,
    actor: run.actor,
    signal: new AbortController().signal,
    enter: (phase) => {
      if (phase === 'PROPOSING') record = cursor.act();
      machine.to(phase);
    },
    path: () => getNewestPass(machine.path()),
    answerId: (turnKey, pass) => formerId(records, pass) ?? makeAnswerId(head.threadId, turnKey, pass),
    load: async (groups) => {
      const { version, timeZone } = head.policy;
      const rules = await parts.engine(version, timeZone);
      if (!rules) return cursor.stop({ kind: 'unreplayable', why: `the policy set ${version} was not kept` });
      const place = { ...run.actor, agentClass: parts.plugin.class, chatKey: head.chatKey, inGroup: false };
      const loaded = decideGroups(rules, groups, { ...place, at: new Date().toISOString() });
      return { ...loaded, ...recordedTools(record, loaded.allowed) };
    },
    offer: () => Promise.resolve(cursor.offered()),
    keep: (groups) => Promise.resolve(cursor.groups(groups)),
    judge: (pass) => Promise.resolve(evaluatePass(pass, record?.outcome === 'budget')),
    call: async (request) => {
      const was = record?.calls.find(({ callId }) => callId === request.callId);
      if (!record || !was)
        return cursor.stop({ kind: 'differs', what: 'calls', recorded: 'none of that id', now: request.tool });
      return replayDecision(parts, { head, run, record, was, machine, cursor }, request);
    },
    say: () => Promise.resolve(),
    // What a search found is in the record.
    reader: () => ({ userKey: run.actor.userKey, chatKey: head.chatKey, mayRead: () => false }),
    reads: () => Promise.resolve(),
    draft: () => undefined,
    spent: () => undefined,
  };
}

/** Returns the recorded answer's id when the record is older than the runtime's own answer ids; otherwise null. */
function formerId(records: readonly ExecutionTurn[], pass: number): string | null {
  const answer = records.flatMap((record) => record.answer ?? [])[pass - 1];
  return answer?.modelId === undefined ? (answer?.id ?? null) : null;
}

/** Repeats the decision that was made when an approval was used. */
async function compareResume({ engine }: ReplayDeps, { began, policy }: ExecutionTurn): Promise<ReplayOutcome | null> {
  const resume = began?.decision;
  if (!resume) return null;
  const isRun = resume.phases.includes('EXECUTING');
  if (isRun && resume.outcome !== 'approved' && resume.outcome !== 'modified')
    return differs(null, {
      what: 'phases',
      recorded: resume.phases.join(' '),
      now: `nothing runs when ${resume.outcome}`,
    });
  if (!resume.decided) {
    if (isRun)
      return { kind: 'not-replayable', why: 'an earlier run of the turn had decided; the audit has its decision' };
    return null;
  }
  const { decision, question, action, steps } = resume.decided;
  const rules = await engine(decision.policyVersion, policy.timeZone);
  if (!rules) return { kind: 'not-replayable', why: `the policy set ${decision.policyVersion} was not kept` };
  const decide = (asked: typeof question) => rules.decide(asked as unknown as Parameters<PolicyEngine['decide']>[0]); // the record holds a question as JSON
  const now = steps ? mergeDecisions(steps.map((step) => ({ decision: decide(step.question) }))) : decide(question);
  const found = compareDecisions(resume.decided, { action, question, decision: now }, action.tool);
  return found ? differs(null, found) : null;
}

function resultOf(halt: Exclude<HaltReason, { kind: 'resume' | 'cut' }>): ReplayOutcome {
  if (halt.kind === 'unreplayable') return { kind: 'not-replayable', why: halt.why };
  return differs(null, halt);
}

function differs(pass: number | null, { what, recorded, now }: Omit<ReplayDifference, 'pass'>): ReplayOutcome {
  return { kind: 'different', difference: { pass, what, recorded, now } };
}

const LoadedResult = z.object({ enabled: z.array(z.string()), new_tools: z.array(z.string()) });

/** Returns the tools that the record lists for these groups, since a later release may have added tools. */
function recordedTools(
  record: ExecutionTurn | null,
  groups: readonly string[],
): { readonly tools?: readonly string[] } {
  const results = record?.calls.flatMap(({ result }) => LoadedResult.safeParse(result.result).data ?? []) ?? [];
  const same = results.find(({ enabled }) => enabled.join(' ') === groups.join(' '));
  return same ? { tools: same.new_tools } : {};
}

function answerMessage({ id, modelId = id, text, calls, unreadable, reasoning, extras }: RecordedAnswer): AIMessage {
  return new AIMessage({
    ...(modelId === null ? {} : { id: modelId }),
    content: text,
    tool_calls: calls.map((call) => ({ type: 'tool_call' as const, ...call })),
    invalid_tool_calls: unreadable.map(({ name, args }) => ({
      type: 'invalid_tool_call' as const,
      ...(name === null ? {} : { name }),
      ...(args === null ? {} : { args }),
    })),
    additional_kwargs: { ...extras, ...toReasoningExtras(reasoning ?? null) },
  });
}
