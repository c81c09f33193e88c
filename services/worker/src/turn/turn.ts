import type { RecordedResume } from '@signalbox/contracts/governance/execution-turn';
import type { TurnRecording } from '@signalbox/store/governance/execution-turns';
import {
  type ClaimedLane,
  type InboxMessage,
  type TurnEnd,
  type TurnOutcome,
  finishLane,
} from '@signalbox/store/conversation/lanes';
import { isAwaiting } from '@signalbox/store/conversation/threads';
import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import type { AgentMessage, AgentRecord } from '../agents/agent.ts';
import { filesWithoutWords, isBorrowed, leadingBatch, newsOf, toAgentBatch } from './batch.ts';
import { createTurnDraft } from './draft.ts';
import { WORDS } from './reply.ts';
import { createMachine } from '../governance/loop/fsm.ts';
import { openAccount } from './turn-account.ts';
import { receiptsOf } from '../governance/receipts.ts';
import { agentRun, scopeOf } from './agent-run.ts';
import type { TurnParts } from './turn-parts.ts';
import { tellBeside, tellIncident } from './incident-turn.ts';
import { createSpending } from './spending.ts';
import { nothingThought, recordResume, recordTurn } from './turn-record.ts';
import { type TurnContext, closeThread, cutShort, endOf, filesOnly, notice, noticeOf, settle } from './turn-end.ts';

/*
 * Read this first: one wake of a lane, from the messages that wait to the transaction that ends it.
 *
 *   claimed lane ─▶ plan the batch ─┬─ messages of one chat ─▶ agent ─▶ replies, outcomes, thread ─┐
 *                                 ├─ /new                 ─▶ close the thread                    ├─▶ finish (one transaction)
 *                                 ├─ stopped by /stop     ─▶ settle as stopped                   │
 *                                 ├─ files, no words      ─▶ say what can be done with them      │
 *                                 ├─ a decision           ─▶ run what was approved ─▶ agent      │
 *                                 ├─ a node again         ─▶ agent, from that node on            │
 *                                 ├─ an incident          ─▶ told as it is, noted in the thread  │
 *                                 └─ job news, no thread  ─▶ notice                             ─┘
 * Whatever is thrown here is an infrastructure error or a lost lane, and leaves the messages open for the next claim.
 */

export interface TurnSignals {
  /** Fires when the turn has to end at once: /stop, shutdown, lost lane. */
  readonly signal: AbortSignal;
  /** Inbox id of the newest /stop that came while the turn ran, else 0. */
  stopBefore(): number;
}

/** Handles what waits in a claimed lane and ends the turn. True when more messages wait. */
export async function runTurn(parts: TurnParts, lane: ClaimedLane, signals: TurnSignals): Promise<boolean> {
  const stopped = lane.messages.filter((message) => isStopped(message, lane.stopBefore));
  if (stopped.length > 0)
    return finish(parts, lane, {
      turn: null,
      outcomes: settle(stopped, 'stopped', '/stop'),
      replies: [],
      thread: null,
    });
  const [first] = lane.messages;
  if (!first) return finish(parts, lane, { turn: null, outcomes: [], replies: [], thread: null });
  if (first.envelope.kind === 'command') return finish(parts, lane, closeThread(lane, first));
  if (lane.person === null)
    return finish(parts, lane, {
      turn: null,
      outcomes: settle([first], 'refused', 'no role'),
      replies: [],
      thread: null,
    });
  if (first.envelope.kind === 'job-finished' && first.envelope.threadId !== lane.threadId)
    return jobNotice(parts, lane, first, first.envelope);
  if (first.envelope.kind === 'incident') return incidentTurn(parts, lane, first, lane.person);
  if (first.envelope.kind === 'node' && first.envelope.threadId !== lane.threadId)
    return finish(parts, lane, {
      turn: null,
      outcomes: settle([first], 'refused', 'its conversation is over'),
      replies: [],
      thread: null,
    });
  if (first.envelope.kind === 'decision' || first.envelope.kind === 'node')
    return agentTurn(parts, lane, [first], lane.person, signals);
  const batch = leadingBatch(lane);
  const files = filesWithoutWords(batch);
  if (files) return finish(parts, lane, filesOnly(parts, lane, batch, files));
  return agentTurn(parts, lane, batch, lane.person, signals);
}

/** The end of a job whose conversation is over: told as it is, with its receipt. */
async function jobNotice(
  parts: TurnParts,
  lane: ClaimedLane,
  message: InboxMessage,
  { threadId, runId }: Extract<InboxMessage['envelope'], { kind: 'job-finished' }>,
): Promise<boolean> {
  const { timeZone } = parts.account;
  const receipts = await receiptsOf(parts.pool, [runId], { threadId: threadId ?? '', timeZone, isBrief: true });
  return finish(parts, lane, notice(parts, lane, message, { receipts }));
}

/** What broke, or is well again, is told as it is: no model is asked, because it may be what broke. */
async function incidentTurn(
  parts: TurnParts,
  lane: ClaimedLane,
  message: InboxMessage,
  person: NonNullable<ClaimedLane['person']>,
): Promise<boolean> {
  const { threadId } = lane;
  // A question that waits for its answer stays the last thing that was said in the conversation.
  if (threadId === null || (await isAwaiting(parts.pool, threadId)))
    return finish(parts, lane, await tellBeside(parts, lane, message, person));
  parts.openThread(threadId, lane);
  let committed = false;
  try {
    const { end, recording } = await tellIncident(parts, lane, message, person);
    const more = await finish(parts, lane, end, threadId, recording);
    committed = true;
    return more;
  } finally {
    parts.closeThread(threadId, committed);
  }
}

async function agentTurn(
  parts: TurnParts,
  lane: ClaimedLane,
  batch: readonly InboxMessage[],
  person: NonNullable<ClaimedLane['person']>,
  signals: TurnSignals,
): Promise<boolean> {
  const [{ envelope }] = batch as readonly [InboxMessage]; // a batch holds at least the first message
  const decision = envelope.kind === 'decision' ? envelope : null;
  // lane_begin gives one whenever the first row is a message, or news of its own thread. A decision may come after its thread.
  const threadId = decision?.threadId ?? (lane.threadId as string);
  const isThreadOver = threadId !== lane.threadId;
  const startedAt = lane.now();
  const { traceId, chatKey } = envelope;
  const spending = createSpending();
  const context: TurnContext = {
    lane,
    batch,
    threadId,
    chatKey,
    traceId,
    turnId: newId('turn'),
    startedAt,
    spending,
  };
  const log = parts.log.child({ traceId, turnId: context.turnId, threadId, userKey: lane.userKey });
  const account = openAccount(parts.account, context);
  const draft = createTurnDraft({
    head: { chatKey, userKey: lane.userKey, turnId: context.turnId },
    publish: parts.publishDraft,
    preview: account.preview,
    signal: signals.signal,
  });
  let committed = false;
  let messages: readonly AgentMessage[] = [];
  let resume: RecordedResume | null = null;
  const recording = (record: AgentRecord, outcome: TurnOutcome, note: string | null): TurnRecording =>
    recordTurn(parts.recordHead(), context, { record, outcome, note, resume, isThreadOver });
  if (!isThreadOver) parts.openThread(threadId, lane);
  try {
    const machine = createMachine();
    const scope = scopeOf(
      parts,
      context,
      { userKey: lane.userKey, ...person },
      signals.signal,
      log,
      machine,
      isThreadOver,
    );
    const resumed = decision && (await parts.resume(scope, decision));
    if (decision && resumed) resume = recordResume(decision, resumed, machine.path());
    if (resumed && isThreadOver) {
      const record = recording(nothingThought(context, scope.actor), 'notice', null);
      const { timeZone } = parts.account;
      const receipts = await receiptsOf(parts.pool, [decision?.actionId ?? ''], { threadId, timeZone, isBrief: true });
      const more = await finish(parts, lane, noticeOf(parts, context, resumed.say, receipts), null, record);
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
      resume: lane.resumed,
      threadNew: lane.threadNew,
    });
    draft.end(); // before the answer can be seen
    const before = envelope.kind === 'node' ? [{ key: envelope.id, text: envelope.say, buttons: [] }] : [];
    const replies = await account.close([...before, ...result.replies], result.record.passes);
    const end = endOf(parts, context, { ...result, replies }, agentBatch.shownWith);
    const more = await finish(parts, lane, end, threadId, recording(result.record, result.outcome, null));
    committed = true;
    log.info('turn finished', {
      outcome: result.outcome,
      messages: batch.length,
      passes: result.passes,
      toolCalls: result.toolCalls,
      durationMs: lane.now().getTime() - startedAt.getTime(),
    });
    return more;
  } catch (thrown) {
    const stopBefore = signals.stopBefore();
    const isStop = stopBefore > 0 && signals.signal.aborted;
    // What a library makes of an abort varies; the reason that we gave does not.
    if (signals.signal.aborted && !isStop) throw signals.signal.reason;
    if (!isStop && !(thrown instanceof AppError && thrown.remedy === 'tell-user')) throw thrown;
    draft.end();
    const soFar = await parts.soFar(lane.userKey, { turnKey: envelope.id, actionId: decision?.actionId ?? null });
    const why = isStop ? WORDS.stopped(soFar) : WORDS.failed(thrown as AppError, soFar);
    // What the person has read so far does not vanish with the draft.
    const unfinished = draft.unsent().trim() === '' ? null : WORDS.unfinished(draft.unsent());
    const actor = { userKey: lane.userKey, ...person };
    const text = [unfinished, why].filter(Boolean).join('\n\n');
    const isNew = lane.threadNew || lane.resumed;
    const record = isThreadOver
      ? nothingThought(context, actor)
      : await parts.agent.note({ run: { ...context, actor }, messages, isNew, text });
    log.info('turn cut short', { stopped: isStop, error: isStop ? undefined : thrown });
    const outcome = isStop ? 'stopped' : 'failed';
    const said = [
      ...(unfinished === null ? [] : [{ key: `${context.turnId}:unfinished`, text: unfinished, buttons: [] }]),
      { key: `${context.turnId}:end`, text: why, buttons: [] },
    ];
    account.said(why);
    const replies = await account.close(said, 'cut short');
    const end = cutShort(parts, context, outcome, { replies, why });
    return await finish(parts, lane, end, isThreadOver ? null : threadId, recording(record, outcome, text));
  } finally {
    draft.end();
    if (!isThreadOver) parts.closeThread(threadId, committed);
  }
}

function isStopped(message: InboxMessage, stopBefore: number): boolean {
  return message.id < stopBefore && message.envelope.kind === 'message';
}

/** Ends the turn and, in the same transaction, stores its record and the newest state of the thread that it worked on. */
async function finish(
  parts: TurnParts,
  lane: ClaimedLane,
  end: TurnEnd,
  threadId: string | null = null,
  recording: TurnRecording | null = null,
): Promise<boolean> {
  const checkpoint = threadId === null ? null : await parts.pendingCheckpoint(threadId);
  const { ok, more } = await finishLane(parts.pool, lane, end, checkpoint, recording);
  if (!ok) throw new AppError('LANE_LOST', { userKey: lane.userKey });
  if (checkpoint) parts.checkpointStored(checkpoint.threadId);
  for (const reply of end.replies.slice(0, 1)) await parts.announce(reply.chatKey, reply.traceId);
  return more;
}
