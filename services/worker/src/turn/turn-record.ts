import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { ExecutionTurn, RecordedCall, RecordedApproval } from '@signalbox/contracts/governance/execution-turn';
import type { Proposal } from '@signalbox/store/governance/approvals';
import type { RecordedRead, TurnRecording } from '@signalbox/store/governance/execution-turns';
import type { TurnOutcome } from '@signalbox/store/turns/lanes';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import { makeStorable } from '@signalbox/contracts/storable';
import type { AgentRecord, AgentRun } from '../agents/agent.ts';
import type { DecisionEnvelope, ResumeResult } from '@signalbox/governance/resume-decision';
import { hashAction } from '@signalbox/governance/proposal';
import type { TurnContext } from './turn-end.ts';
import type { TurnDeps } from './turn-parts.ts';

interface Ended {
  readonly record: AgentRecord;
  readonly outcome: TurnOutcome;
  /** The note about a turn that was stopped or failed, for its conversation. */
  readonly note: string | null;
  /** The conversation's project from now on. */
  readonly about?: string | null;
  readonly event?: 'incident';
  readonly resume: RecordedApproval | null;
  readonly isThreadOver: boolean;
}

/** Records a turn: its passes, its reads (which had no ledger row) and the audit event. Redacts before hashing. */
export function recordTurn(
  { plugin, governance, account, settings }: TurnDeps,
  context: TurnContext,
  ended: Ended,
): TurnRecording {
  const head = {
    agent: plugin.id,
    agentClass: plugin.class,
    policy: { version: governance.policy().version, timeZone: account.timeZone },
    maxPasses: settings.maxPasses,
  };
  const { record, outcome, note, about = null, event, resume, isThreadOver } = ended;
  const { turnId, threadId, chatKey, lane } = context;
  const passes = record.passes.length > 0 ? record.passes : [NO_PASS];
  const records = passes.map((pass, index) =>
    seal({
      ...pass,
      ...head,
      turnId,
      threadId,
      userKey: lane.userKey,
      chatKey,
      began:
        index === 0
          ? { isNew: record.isNew, threadOver: isThreadOver, messages: [...record.messages], decision: resume }
          : null,
      ended:
        index === passes.length - 1
          ? { outcome, note, ...(about === null ? {} : { about }), ...(event ? { event } : {}), run: record.run }
          : null,
    }),
  );
  return {
    records,
    reads: record.passes.flatMap(({ calls }) => calls.flatMap((call) => readOf(context, call))),
    events: [
      {
        kind: 'turn.recorded',
        actor: `agent:${head.agent}`,
        threadId,
        turnId,
        actionId: null,
        approvalId: null,
        policyVersion: head.policy.version,
        data: { passes: record.passes.length, outcome, records: records.map(({ recordHash }) => recordHash) },
      },
    ],
  };
}

const NOTHING = hashCanonical(null);

/** The pass recorded for a turn that ended before its first pass. */
const NO_PASS: AgentRecord['passes'][number] = {
  pass: 0,
  phases: [],
  versions: { prompt: NOTHING, tools: NOTHING, state: 0, model: null },
  runs: { read: null, asked: null, acted: null },
  asks: [],
  answer: null,
  calls: [],
  outcome: null,
};

/** Removes secrets and characters that jsonb refuses from a record, and hashes the result. */
function seal(whole: Omit<ExecutionTurn, 'redacted' | 'cleanHashes'>): TurnRecording['records'][number] {
  const clean = redactValue(whole, (text) => makeStorable(redactText(text)));
  const record = { ...clean, redacted: clean !== whole, cleanHashes: true as const };
  const contextHash = whole.asks.at(-1)?.context.hash ?? NOTHING;
  try {
    return { record, recordHash: hashCanonical(record), contextHash };
  } catch {
    // Numbers that JSON lacks become null, and are hashed as null.
    const stored = JSON.parse(JSON.stringify(record)) as typeof record; // the same record as JSON
    return { record: stored, recordHash: hashCanonical(stored), contextHash };
  }
}

/** Builds the ledger row of a call that changed nothing. A call with an effect wrote its row before it started. */
function readOf({ turnId, threadId }: TurnContext, { callId, decided, result }: RecordedCall): readonly RecordedRead[] {
  if (!decided || decided.action.assessment.risk !== 'safe' || decided.decision.effect !== 'run') return [];
  if (result.code === 'NOT_PERMITTED') return [];
  const { action, decision } = decided;
  const question = decided.question as unknown as Proposal['question']; // the question as JSON
  const proposal = redactValue({ action, question, decision });
  return [
    {
      actionId: callId,
      turnId,
      threadId,
      tool: action.tool,
      arguments: proposal.action.arguments,
      status: result.ok ? 'done' : 'failed',
      errorCode: result.code,
      proposal,
      hash: hashAction(action),
      at: question.context.at,
    },
  ];
}

export function createEmptyRecord({ turnId }: TurnContext, actor: AgentRun['actor']): AgentRecord {
  const { userKey, name, role } = actor;
  return { passes: [], messages: [], isNew: false, run: { turnId, came: 0, actor: { userKey, name, role } } };
}

/** Adds the result of a decision to the record of the turn that reports it. */
export function recordResume(
  { approvalId, actionId, outcome }: DecisionEnvelope,
  { say, result, decided }: ResumeResult,
  phases: readonly string[],
): RecordedApproval {
  const code = result?.code ?? null;
  return { approvalId, actionId, outcome, say, decided: decided ?? null, code, phases: [...phases] };
}
