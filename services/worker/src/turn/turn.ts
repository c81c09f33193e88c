import { PRIORITY, type OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { CheckpointRow } from '@signalbox/store/conversation/checkpoints';
import type { RecordedResume } from '@signalbox/contracts/governance/execution-turn';
import type { TurnRecording } from '@signalbox/store/governance/execution-turns';
import type { SoFar, soFarOfMessage } from '@signalbox/store/governance/actions';
import {
  finishLane,
  type ClaimedLane,
  type InboxMessage,
  type TurnEnd,
  type TurnOutcome,
} from '@signalbox/store/conversation/lanes';
import { sayInTurn } from '@signalbox/store/conversation/outbox';
import type { Pool } from '@signalbox/store/pool';
import { isAwaiting } from '@signalbox/store/conversation/threads';
import { AppError } from '@signalbox/contracts/errors';
import { answerIdOf, newId } from '@signalbox/contracts/ids';
import type { Log } from '@signalbox/platform/log';
import type { Draft } from '@signalbox/platform/streams/drafts';
import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { Agent, AgentMessage, AgentRecord, AgentRun } from '../agents/agent.ts';
import { filesWithoutWords, isBorrowed, leadingBatch, newsOf, toAgentBatch } from './batch.ts';
import { createTurnDraft, type TurnDraft } from './draft.ts';
import { WORDS } from './reply.ts';
import type { DecisionEnvelope, Resumed } from '../governance/approvals/approval-resume.ts';
import type { EvaluationOutcome, PassFacts } from '../governance/loop/evaluation.ts';
import type { Loaded } from '../governance/loop/loading.ts';
import { createMachine, passOf, type Machine } from '../governance/loop/fsm.ts';
import type { ToolCall, ToolCallResult } from '../tools/call.ts';
import type { CallScope } from '../tools/run.ts';
import { openAccount, receiptsOfNews, type AccountParts, type TurnAccount } from './turn-account.ts';
import { tellBeside, tellIncident, type OfferButtons } from './incident-turn.ts';
import { createSpending } from './spending.ts';
import { nothingThought, recordResume, recordTurn, type RecordHead } from './turn-record.ts';
import {
  closeThread,
  cutShort,
  endOf,
  filesOnly,
  notice,
  noticeOf,
  outbound,
  settle,
  type TurnContext,
} from './turn-end.ts';

/*
 * Read this first: one wake of a lane, from the messages that wait to the transaction that ends it.
 *
 *   begun lane ─▶ plan the batch ─┬─ messages of one chat ─▶ agent ─▶ replies, outcomes, thread ─┐
 *                                 ├─ /new                 ─▶ close the thread                    ├─▶ finish (one transaction)
 *                                 ├─ stopped by /stop     ─▶ settle as stopped                   │
 *                                 ├─ files, no words      ─▶ say what can be done with them      │
 *                                 ├─ a decision           ─▶ run what was approved ─▶ agent      │
 *                                 ├─ a node again         ─▶ agent, from that node on            │
 *                                 ├─ an incident          ─▶ told as it is, noted in the thread  │
 *                                 └─ job news, no thread  ─▶ notice                             ─┘
 * Whatever is thrown here is an infrastructure error or a lost lane, and leaves the messages open for the next begin.
 */

export interface TurnParts {
  readonly pool: Pool;
  readonly agent: Agent;
  readonly agentId: string;
  readonly agentClass: AgentClass;
  readonly worker: string;
  readonly idleMs: number;
  readonly log: Log;
  /** Names the thread that the checkpoints of this turn belong to, and the fence that they carry. */
  openThread(threadId: string, begun: ClaimedLane): void;
  closeThread(threadId: string, committed: boolean): void;
  /** Makes the thread's newest state durable, before an effect. */
  flush(threadId: string): Promise<void>;
  /** The thread's newest state, to be stored with the end of the turn, and word that it was. */
  pendingCheckpoint(threadId: string): Promise<CheckpointRow | null>;
  checkpointStored(threadId: string): void;
  /** Notes that this conversation is about to read text from outside: by a look-up, or in messages that wait. */
  taint(threadId: string, source: string, messages: readonly InboxMessage[] | null): Promise<void>;
  /** Carries a proposed call through governance. */
  execute(scope: CallScope, call: ToolCall): Promise<ToolCallResult>;
  readonly offer: OfferButtons;
  /** Goes on with an action that somebody decided about. */
  resume(scope: CallScope, decision: DecisionEnvelope): Promise<Resumed>;
  /** Asks policy which capability groups a conversation may have, and writes down what came of it. */
  load(scope: CallScope, groups: readonly string[]): Promise<Loaded>;
  /** The verdict on a pass. `used`: tokens and USD of this turn so far. */
  judge(
    userKey: string,
    pass: PassFacts,
    used: { readonly tokens: number; readonly costUsd: number },
  ): Promise<EvaluationOutcome>;
  /** Tells the gateway that a chat has something to send. Failing is harmless: a sweeper does it again. */
  announce(chatKey: string, traceId: string): Promise<void>;
  /** Shows what is being written to whoever listens. Never rejects. */
  publishDraft(draft: Draft): Promise<void>;
  /** What effects of this turn have come to, in words, for an honest "stopped". */
  soFar(userKey: string, message: Parameters<typeof soFarOfMessage>[2]): Promise<SoFar>;
  /** What the account of a turn is made from. */
  readonly account: AccountParts;
  /** What stands above every record of this worker's turns. */
  recordHead(): RecordHead;
}

export interface TurnSignals {
  /** Fires when the turn has to end at once: /stop, shutdown, lost lane. */
  readonly signal: AbortSignal;
  /** Inbox id of the newest /stop that came while the turn ran, else 0. */
  stopBefore(): number;
}

/** Handles what waits in a begun lane and ends the turn. True when more messages wait. */
export async function runTurn(parts: TurnParts, begun: ClaimedLane, signals: TurnSignals): Promise<boolean> {
  const stopped = begun.messages.filter((message) => isStopped(message, begun.stopBefore));
  if (stopped.length > 0)
    return finish(parts, begun, {
      turn: null,
      outcomes: settle(stopped, 'stopped', '/stop'),
      replies: [],
      thread: null,
    });
  const [first] = begun.messages;
  if (!first) return finish(parts, begun, { turn: null, outcomes: [], replies: [], thread: null });
  if (first.envelope.kind === 'command') return finish(parts, begun, closeThread(begun, first));
  if (begun.person === null)
    return finish(parts, begun, {
      turn: null,
      outcomes: settle([first], 'refused', 'no role'),
      replies: [],
      thread: null,
    });
  if (first.envelope.kind === 'job-finished' && first.envelope.threadId !== begun.threadId)
    return jobNotice(parts, begun, first, first.envelope);
  if (first.envelope.kind === 'incident') return incidentTurn(parts, begun, first, begun.person);
  if (first.envelope.kind === 'node' && first.envelope.threadId !== begun.threadId)
    return finish(parts, begun, {
      turn: null,
      outcomes: settle([first], 'refused', 'its conversation is over'),
      replies: [],
      thread: null,
    });
  if (first.envelope.kind === 'decision' || first.envelope.kind === 'node')
    return agentTurn(parts, begun, [first], begun.person, signals);
  const batch = leadingBatch(begun);
  const files = filesWithoutWords(batch);
  if (files) return finish(parts, begun, filesOnly(parts, begun, batch, files));
  return agentTurn(parts, begun, batch, begun.person, signals);
}

/** The end of a job whose conversation is over: told as it is, with its receipt. */
async function jobNotice(
  parts: TurnParts,
  begun: ClaimedLane,
  message: InboxMessage,
  { threadId, runId }: Extract<InboxMessage['envelope'], { kind: 'job-finished' }>,
): Promise<boolean> {
  const receipts = await receiptsOfNews(parts.account, threadId ?? '', [runId]);
  return finish(parts, begun, notice(parts, begun, message, { receipts }));
}

/** What broke, or is well again, is told as it is: no model is asked, because it may be what broke. */
async function incidentTurn(
  parts: TurnParts,
  begun: ClaimedLane,
  message: InboxMessage,
  person: NonNullable<ClaimedLane['person']>,
): Promise<boolean> {
  const { threadId } = begun;
  // A question that waits for its answer stays the last thing that was said in the conversation.
  if (threadId === null || (await isAwaiting(parts.pool, threadId)))
    return finish(parts, begun, await tellBeside(parts, begun, message, person));
  parts.openThread(threadId, begun);
  let committed = false;
  try {
    const { end, recording } = await tellIncident(parts, begun, message, person);
    const more = await finish(parts, begun, end, threadId, recording);
    committed = true;
    return more;
  } finally {
    parts.closeThread(threadId, committed);
  }
}

async function agentTurn(
  parts: TurnParts,
  begun: ClaimedLane,
  batch: readonly InboxMessage[],
  person: NonNullable<ClaimedLane['person']>,
  signals: TurnSignals,
): Promise<boolean> {
  const [{ envelope }] = batch as readonly [InboxMessage]; // a batch holds at least the first message
  const decision = envelope.kind === 'decision' ? envelope : null;
  // lane_begin gives one whenever the first row is a message, or news of its own thread. A decision may come after its thread.
  const threadId = decision?.threadId ?? (begun.threadId as string);
  const isThreadOver = threadId !== begun.threadId;
  const startedAt = begun.now();
  const { traceId, chatKey } = envelope;
  const spending = createSpending();
  const context: TurnContext = {
    begun,
    batch,
    threadId,
    chatKey,
    traceId,
    turnId: newId('turn'),
    startedAt,
    spending,
  };
  const log = parts.log.child({ traceId, turnId: context.turnId, threadId, userKey: begun.userKey });
  const account = openAccount(parts.account, context);
  const draft = createTurnDraft({
    head: { chatKey, userKey: begun.userKey, turnId: context.turnId },
    publish: parts.publishDraft,
    preview: account.preview,
    signal: signals.signal,
  });
  let committed = false;
  let messages: readonly AgentMessage[] = [];
  let resume: RecordedResume | null = null;
  const recording = (record: AgentRecord, outcome: TurnOutcome, note: string | null): TurnRecording =>
    recordTurn(parts.recordHead(), context, { record, outcome, note, resume, isThreadOver });
  if (!isThreadOver) parts.openThread(threadId, begun);
  try {
    const machine = createMachine();
    const scope = scopeOf(
      parts,
      context,
      { userKey: begun.userKey, ...person },
      signals.signal,
      log,
      machine,
      isThreadOver,
    );
    const resumed = decision && (await parts.resume(scope, decision));
    if (decision && resumed) resume = recordResume(decision, resumed, machine.path());
    if (resumed && isThreadOver) {
      const record = recording(nothingThought(context, scope.actor), 'notice', null);
      const receipts = await receiptsOfNews(parts.account, threadId, [decision?.actionId ?? '']);
      const more = await finish(parts, begun, noticeOf(parts, context, resumed.say, receipts), null, record);
      committed = true;
      return more;
    }
    if (decision && resumed) account.decided(decision, resumed);
    const agentBatch = resumed ? newsOf(envelope.id, resumed) : toAgentBatch(batch);
    messages = agentBatch.messages;
    if (!isThreadOver) await parts.taint(threadId, 'messages', batch.filter(isBorrowed));
    const result = await parts.agent.run({
      messages,
      run: agentRun(parts, context, { scope, draft, account }, createMachine()),
      resume: begun.resumed,
      threadNew: begun.threadNew,
    });
    draft.end(); // before the answer can be seen
    const before = envelope.kind === 'node' ? [{ key: envelope.id, text: envelope.say, buttons: [] }] : [];
    const replies = await account.close([...before, ...result.replies], result.record.passes);
    const end = endOf(parts, context, { ...result, replies }, agentBatch.shownWith);
    const more = await finish(parts, begun, end, threadId, recording(result.record, result.outcome, null));
    committed = true;
    log.info('turn finished', {
      outcome: result.outcome,
      messages: batch.length,
      passes: result.passes,
      toolCalls: result.toolCalls,
      durationMs: begun.now().getTime() - startedAt.getTime(),
    });
    return more;
  } catch (thrown) {
    const stopBefore = signals.stopBefore();
    const isStop = stopBefore > 0 && signals.signal.aborted;
    // What a library makes of an abort varies; the reason that we gave does not.
    if (signals.signal.aborted && !isStop) throw signals.signal.reason;
    if (!isStop && !(thrown instanceof AppError && thrown.remedy === 'tell-user')) throw thrown;
    draft.end();
    const soFar = await parts.soFar(begun.userKey, { turnKey: envelope.id, actionId: decision?.actionId ?? null });
    const why = isStop ? WORDS.stopped(soFar) : WORDS.failed(thrown as AppError, soFar);
    // What the person has read so far does not vanish with the draft.
    const unfinished = draft.unsent().trim() === '' ? null : WORDS.unfinished(draft.unsent());
    const actor = { userKey: begun.userKey, ...person };
    const text = [unfinished, why].filter(Boolean).join('\n\n');
    const isNew = begun.threadNew || begun.resumed;
    const record = isThreadOver
      ? nothingThought(context, actor)
      : await parts.agent.note({ run: { ...context, actor }, messages, isNew, text });
    log.info('turn cut short', { stopped: isStop, error: isStop ? undefined : thrown });
    const outcome = isStop ? 'stopped' : 'failed';
    const end = cutShort(parts, context, outcome, { unfinished, why });
    return await finish(parts, begun, end, isThreadOver ? null : threadId, recording(record, outcome, text));
  } finally {
    draft.end();
    if (!isThreadOver) parts.closeThread(threadId, committed);
  }
}

function isStopped(message: InboxMessage, stopBefore: number): boolean {
  return message.id < stopBefore && message.envelope.kind === 'message';
}

function scopeOf(
  parts: TurnParts,
  context: TurnContext,
  actor: AgentRun['actor'],
  signal: AbortSignal,
  log: Log,
  machine: Machine,
  isThreadOver: boolean,
): CallScope {
  const { begun, batch, threadId, turnId, chatKey, traceId } = context;
  const flush = async (): Promise<void> => {
    if (!isThreadOver) await parts.flush(threadId);
  };
  // A decision is carried out before anything was thought: its way begins where the proposal had been left.
  if (batch[0]?.envelope.kind === 'decision')
    for (const phase of ['THINKING', 'PROPOSING', 'GOVERNING'] as const) machine.to(phase);
  return {
    lane: begun,
    now: begun.now,
    turnId,
    turnKey: batch[0]?.envelope.id ?? turnId,
    threadId,
    chatKey,
    traceId,
    actor,
    signal,
    log,
    inGroup: batch.some(({ envelope }) => envelope.kind === 'message' && envelope.chatKind === 'group'),
    agent: { id: parts.agentId, class: parts.agentClass },
    enter: machine.to,
    flush,
    say: async (text, slot, key) => {
      await flush();
      await put(parts, context, {
        ...outbound(context, { key, text, buttons: [] }),
        slot,
        priority: PRIORITY.progress,
      });
    },
  };
}

async function put(
  parts: TurnParts,
  { begun, turnId, chatKey, traceId }: TurnContext,
  envelope: OutboundEnvelope,
): Promise<void> {
  if (!(await sayInTurn(parts.pool, begun, [{ ...envelope, turnId }])))
    throw new AppError('LANE_LOST', { userKey: begun.userKey });
  await parts.announce(chatKey, traceId);
}

function agentRun(
  parts: TurnParts,
  context: TurnContext,
  {
    scope: decided,
    draft,
    account,
  }: { readonly scope: CallScope; readonly draft: TurnDraft; readonly account: TurnAccount },
  machine: Machine,
): AgentRun {
  const { threadId, turnId, chatKey, traceId, spending } = context;
  const scope: CallScope = { ...decided, enter: machine.to };
  return {
    turnId,
    threadId,
    traceId,
    chatKey,
    actor: scope.actor,
    signal: scope.signal,
    enter: machine.to,
    phase: machine.phase,
    path: () => passOf(machine.path()),
    answerId: (turnKey, pass) => answerIdOf(threadId, turnKey, pass),
    load: (groups) => parts.load(scope, groups),
    judge: (pass) => parts.judge(scope.actor.userKey, pass, spending.used()),
    call: async ({ callId, tool, args, groups }) => {
      const result = await parts.execute(scope, { actionId: callId, tool, args, groups });
      account.note(tool, result);
      return result;
    },
    say: async (reply) => {
      draft.settle();
      await scope.flush();
      await put(parts, context, outbound(context, await account.midway(reply)));
    },
    reads: (source) => parts.taint(threadId, source, null),
    draft: draft.show,
    spent: spending.add,
  };
}

/** Ends the turn and, in the same transaction, stores its record and the newest state of the thread that it worked on. */
async function finish(
  parts: TurnParts,
  begun: ClaimedLane,
  end: TurnEnd,
  threadId: string | null = null,
  recording: TurnRecording | null = null,
): Promise<boolean> {
  const checkpoint = threadId === null ? null : await parts.pendingCheckpoint(threadId);
  const { ok, more } = await finishLane(parts.pool, begun, end, checkpoint, recording);
  if (!ok) throw new AppError('LANE_LOST', { userKey: begun.userKey });
  if (checkpoint) parts.checkpointStored(checkpoint.threadId);
  for (const reply of end.replies.slice(0, 1)) await parts.announce(reply.chatKey, reply.traceId);
  return more;
}
