import { PRIORITY, type OutboundEnvelope } from '@signalbox/shared/contracts/envelope';
import type { CheckpointRow } from '@signalbox/shared/db/checkpoints';
import { finishLane, type Begun, type InboxMessage, type TurnEnd } from '@signalbox/shared/db/lanes';
import { sayInTurn } from '@signalbox/shared/db/outbox';
import type { Pool } from '@signalbox/shared/db/pool';
import { AppError } from '@signalbox/shared/errors';
import { newId } from '@signalbox/shared/ids';
import type { Log } from '@signalbox/shared/log';
import type { Draft } from '@signalbox/shared/streams/drafts';
import type { Agent, AgentRun } from './agents/agent.ts';
import { filesWithoutWords, leadingBatch, toAgentBatch } from './batch.ts';
import { createTurnDraft, type TurnDraft } from './draft.ts';
import { WORDS } from './reply.ts';
import type { CallScope, ToolCall, ToolCallResult } from './tools/execute.ts';
import { createSpending } from './spending.ts';
import { closeThread, cutShort, endOf, filesOnly, notice, outbound, settle, type TurnContext } from './turn-end.ts';

/*
 * Read this first: one wake of a lane, from the messages that wait to the transaction that ends it.
 *
 *   begun lane ─▶ plan the batch ─┬─ messages of one chat ─▶ agent ─▶ replies, outcomes, thread ─┐
 *                                 ├─ /new                 ─▶ close the thread                    ├─▶ finish (one transaction)
 *                                 ├─ stopped by /stop     ─▶ settle as stopped                   │
 *                                 ├─ files, no words      ─▶ say what can be done with them      │
 *                                 └─ job news, no thread  ─▶ notice                             ─┘
 * Whatever is thrown here is an infrastructure error or a lost lane, and leaves the messages open for the next begin.
 */

export interface TurnParts {
  readonly pool: Pool;
  readonly agent: Agent;
  readonly worker: string;
  readonly idleMs: number;
  readonly log: Log;
  /** Names the thread that the checkpoints of this turn belong to, and the fence that they carry. */
  openThread(threadId: string, begun: Begun): void;
  closeThread(threadId: string, committed: boolean): void;
  /** Makes the thread's newest state durable, before an effect. */
  flush(threadId: string): Promise<void>;
  /** The thread's newest state, to be stored with the end of the turn, and word that it was. */
  pendingCheckpoint(threadId: string): Promise<CheckpointRow | null>;
  checkpointStored(threadId: string): void;
  execute(scope: CallScope, call: ToolCall): Promise<ToolCallResult>;
  /** Tells the gateway that a chat has something to send. Failing is harmless: a sweeper does it again. */
  announce(chatKey: string, traceId: string): Promise<void>;
  /** Shows what is being written to whoever listens. Never rejects. */
  publishDraft(draft: Draft): Promise<void>;
  /** Effects of this turn that are done, in words, for an honest "stopped". */
  doneInTurn(turnId: string): Promise<readonly string[]>;
}

export interface TurnSignals {
  /** Fires when the turn has to end at once: /stop, shutdown, lost lane. */
  readonly signal: AbortSignal;
  /** Inbox id of the newest /stop that came while the turn ran, else 0. */
  stopBefore(): number;
}

/** Handles what waits in a begun lane and ends the turn. True when more messages wait. */
export async function runTurn(parts: TurnParts, begun: Begun, signals: TurnSignals): Promise<boolean> {
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
    return finish(parts, begun, notice(parts, begun, first));
  const batch = leadingBatch(begun);
  const files = filesWithoutWords(batch);
  if (files) return finish(parts, begun, filesOnly(parts, begun, batch, files));
  return agentTurn(parts, begun, batch, begun.person, signals);
}

async function agentTurn(
  parts: TurnParts,
  begun: Begun,
  batch: readonly InboxMessage[],
  person: NonNullable<Begun['person']>,
  signals: TurnSignals,
): Promise<boolean> {
  const threadId = begun.threadId as string; // lane_begin gives one whenever the first row is a message, or news of its own thread
  const startedAt = new Date();
  const { traceId, chatKey } = (batch[0] as InboxMessage).envelope; // a batch holds at least the first message
  const spending = createSpending();
  const context: TurnContext = { begun, batch, threadId, chatKey, traceId, turnId: newId('turn'), startedAt, spending };
  const log = parts.log.child({ traceId, turnId: context.turnId, threadId, userKey: begun.userKey });
  const draft = createTurnDraft({
    head: { chatKey, userKey: begun.userKey, turnId: context.turnId },
    publish: parts.publishDraft,
    signal: signals.signal,
  });
  let committed = false;
  parts.openThread(threadId, begun);
  try {
    const { messages, shownWith } = toAgentBatch(batch);
    const result = await parts.agent.run({
      messages,
      run: agentRun(parts, context, { userKey: begun.userKey, ...person }, signals.signal, log, draft),
      resume: begun.resumed,
      threadNew: begun.threadNew,
    });
    draft.end(); // before the answer can be seen
    const more = await finish(parts, begun, endOf(parts, context, result, shownWith), threadId);
    committed = true;
    log.info('turn finished', {
      outcome: result.outcome,
      messages: batch.length,
      passes: result.passes,
      toolCalls: result.toolCalls,
      durationMs: Date.now() - startedAt.getTime(),
    });
    return more;
  } catch (thrown) {
    const stopBefore = signals.stopBefore();
    const isStop = stopBefore > 0 && signals.signal.aborted;
    // What a library makes of an abort varies; the reason that we gave does not.
    if (signals.signal.aborted && !isStop) throw signals.signal.reason;
    if (!isStop && !(thrown instanceof AppError && thrown.remedy === 'tell-user')) throw thrown;
    draft.end();
    const why = isStop ? WORDS.stopped(await parts.doneInTurn(context.turnId)) : WORDS.failed(thrown as AppError);
    // What the person has read so far does not vanish with the draft.
    const unfinished = draft.unsent().trim() === '' ? null : WORDS.unfinished(draft.unsent());
    await parts.agent.note({ run: context, text: [unfinished, why].filter(Boolean).join('\n\n') });
    log.info('turn cut short', { stopped: isStop, error: isStop ? undefined : thrown });
    const end = cutShort(parts, context, isStop ? 'stopped' : 'failed', { unfinished, why });
    return await finish(parts, begun, end, threadId);
  } finally {
    draft.end();
    parts.closeThread(threadId, committed);
  }
}

function isStopped(message: InboxMessage, stopBefore: number): boolean {
  return message.id < stopBefore && message.envelope.kind === 'message';
}

function agentRun(
  parts: TurnParts,
  context: TurnContext,
  actor: AgentRun['actor'],
  signal: AbortSignal,
  log: Log,
  draft: TurnDraft,
): AgentRun {
  const { begun, threadId, turnId, chatKey, traceId } = context;
  const put = async (envelope: OutboundEnvelope): Promise<void> => {
    await parts.flush(threadId);
    if (!(await sayInTurn(parts.pool, begun, [{ ...envelope, turnId }])))
      throw new AppError('LANE_LOST', { userKey: begun.userKey });
    await parts.announce(chatKey, traceId);
  };
  const scope: CallScope = {
    lane: begun,
    turnId,
    threadId,
    chatKey,
    traceId,
    actor,
    signal,
    log,
    flush: () => parts.flush(threadId),
    say: (text, slot, key) =>
      put({ ...outbound(context, { key, text, buttons: [] }), slot, priority: PRIORITY.progress }),
  };
  return {
    turnId,
    threadId,
    traceId,
    chatKey,
    actor,
    signal,
    call: ({ callId, tool, args, groups }) => parts.execute(scope, { actionId: callId, tool, args, groups }),
    say: (reply) => {
      draft.settle();
      return put(outbound(context, reply));
    },
    draft: draft.show,
    spent: context.spending.add,
  };
}

/** Ends the turn and, in the same transaction, stores the newest state of the thread that it worked on. */
async function finish(parts: TurnParts, begun: Begun, end: TurnEnd, threadId: string | null = null): Promise<boolean> {
  const checkpoint = threadId === null ? null : await parts.pendingCheckpoint(threadId);
  const { ok, more } = await finishLane(parts.pool, begun, end, checkpoint);
  if (!ok) throw new AppError('LANE_LOST', { userKey: begun.userKey });
  if (checkpoint) parts.checkpointStored(checkpoint.threadId);
  for (const reply of end.replies.slice(0, 1)) await parts.announce(reply.chatKey, reply.traceId);
  return more;
}
