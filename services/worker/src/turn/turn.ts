import { coversRole } from '@signalbox/contracts/governance/roles';
import type { ClaimedLane, InboxMessage, TurnEnd } from '@signalbox/store/turns/lanes';
import { endOrphanedThreads } from '@signalbox/store/conversation/agents';
import { isAwaitingReply } from '@signalbox/store/conversation/threads';
import { findPlanOfRun } from '@signalbox/store/governance/plans';
import { loadReceipts } from '@signalbox/governance/receipts';
import { findFilesWithoutText, takeLeadingBatch } from './batch.ts';
import { endWithIncidentNotice, reportIncidentInThread } from './news/incident-turn.ts';
import { endsChange } from './news/change-news.ts';
import { createJobButtons } from './news/job-buttons.ts';
import { isPicture, isSound } from '../attachments/pictures.ts';
import { closeThread, buildTurnContext, answerFiles, endWithEventNotice, settleAll } from './turn-end.ts';
import type { TurnDeps } from './turn-parts.ts';
import { TurnSession } from './turn-session.ts';
import { finishTurn, type TurnSignals, type TurnStart } from './turn-start.ts';
import { openTurnTrace } from './turn-trace.ts';

/*
 * Read this first: one wake-up of a lane, from the waiting messages to the transaction that ends the turn.
 *
 *   claimed lane ─▶ plan the batch ─┬─ messages of one chat ─▶ agent ─▶ replies, outcomes, thread ─┐
 *                                   ├─ /new                 ─▶ close the thread                    ├─▶ finish (one transaction)
 *                                   ├─ stopped by /stop     ─▶ settle as stopped                   │
 *                                   ├─ files, no words      ─▶ suggest what to do with the files   │
 *                                   ├─ a decision           ─▶ run the approved action ─▶ agent    │
 *                                   ├─ a node again         ─▶ agent, from that node on            │
 *                                   ├─ another page mode    ─▶ an agent that draws views, if any   │
 *                                   ├─ an incident          ─▶ report unchanged, noted in thread   │
 *                                   └─ job news, no thread  ─▶ notice                             ─┘
 *
 * An error that leaves this function is an infrastructure error or a lost lane: the messages stay open for the next claim.
 */

/** Processes the waiting messages of a claimed lane and ends the turn. Returns true when more messages wait. */
export async function runTurn(parts: TurnDeps, lane: ClaimedLane, signals: TurnSignals): Promise<boolean> {
  const trace = openTurnTrace(parts.tracing, parts.plugin.id, lane);
  return trace.around(() => handle({ parts, lane, signals, trace }));
}

async function handle(start: Omit<TurnStart, 'first' | 'person'>): Promise<boolean> {
  const { parts, lane } = start;
  parts.account.names.seen(lane.namesVersion);
  const stopped = lane.messages.filter(({ id, envelope }) => id < lane.stopBefore && envelope.kind === 'message');
  if (stopped.length > 0) return finishTurn(start, endWithout(stopped, 'stopped', '/stop'));
  const [first] = lane.messages;
  if (!first) return finishTurn(start, endWithout([], 'refused', ''));
  if (first.envelope.kind === 'command') return finishTurn(start, closeThread(lane, first));
  if (lane.person === null) return finishTurn(start, endWithout([first], 'refused', 'no role'));
  return HANDLERS[first.envelope.kind]({ ...start, first, person: lane.person });
}

/** The handler of a turn, by the kind of its first message. */
const HANDLERS: Readonly<
  Record<Exclude<InboxMessage['envelope']['kind'], 'command'>, (start: TurnStart) => Promise<boolean>>
> = {
  message: converse,
  decision: think,
  node: (start) =>
    isOfThread(start)
      ? think(start)
      : finishTurn(start, endWithout([start.first], 'refused', 'its conversation is over')),
  mode: readAnew,
  'job-finished': (start) => (isOfThread(start) ? converse(start) : reportJob(start)),
  incident: reportIncident,
};

/** Passes messages to the agent. Files without words are kept for those who may work with them, and answered by the runtime. */
async function converse(started: TurnStart): Promise<boolean> {
  const start = await withOrphans(started);
  const { parts, lane } = start;
  const batch = takeLeadingBatch(lane);
  const files = findFilesWithoutText(batch);
  const isShown = parts.agent.sees && files?.some(isPicture);
  const isKept = coversRole(start.person.role, 'developer') && !files?.every(isSound);
  return files && !isShown && !isKept
    ? finishTurn(start, answerFiles(parts, lane, batch, files))
    : new TurnSession(start, batch).run();
}

/** When a conversation begins, ends the chat's conversations whose agent is no longer loaded; the answer says so. */
async function withOrphans(start: TurnStart): Promise<TurnStart> {
  const { parts, lane, first } = start;
  if (!lane.threadNew) return start;
  const chat = { userKey: lane.userKey, chatKey: first.envelope.chatKey };
  return { ...start, lane: { ...lane, orphaned: await endOrphanedThreads(parts.pool, chat) } };
}

function think(start: TurnStart): Promise<boolean> {
  return new TurnSession(start, [start.first]).run();
}

/** Redraws views after a person changed their page mode. Before their first message there is nothing to redraw. */
function readAnew(start: TurnStart): Promise<boolean> {
  const { parts, lane, first } = start;
  if (parts.agent.draws && lane.threadId !== null) return think(start);
  return finishTurn(start, endWithout([first], 'answered', 'mode'));
}

/** Reports the end of a job whose conversation is over, with the receipt of the job's action. */
async function reportJob(start: TurnStart): Promise<boolean> {
  const { parts, lane, first, person } = start;
  const { threadId, runId } = first.envelope as Extract<InboxMessage['envelope'], { kind: 'job-finished' }>; // HANDLERS calls this function only for `job-finished`
  if (threadId !== null && ((await findPlanOfRun(parts.pool, runId)) || (await endsChange(parts.pool, runId))))
    return think(start);
  const { timeZone } = parts.account;
  const receipts = await loadReceipts(parts.pool, [runId], { threadId: threadId ?? '', timeZone, isBrief: true });
  const actor = { userKey: lane.userKey, ...person };
  const buttons = await createJobButtons(parts, buildTurnContext(lane, first), actor, [first]);
  return finishTurn(start, endWithEventNotice(parts, lane, first, { buttons, receipts }));
}

/** Reports an incident without a model, since the incident may be an outage of the model. */
async function reportIncident(start: TurnStart): Promise<boolean> {
  const { parts, lane, first, person } = start;
  const { threadId } = lane;
  // The report goes beside the conversation, so that an open question stays last there.
  if (threadId === null || (await isAwaitingReply(parts.pool, threadId)))
    return finishTurn(start, await endWithIncidentNotice(parts, lane, first, person));
  parts.checkpoints.open(threadId, lane, lane.threadNew && !lane.resumed);
  let committed = false;
  try {
    const { end, recording } = await reportIncidentInThread(parts, lane, first, person);
    const more = await finishTurn(start, end, { threadId, recording });
    committed = true;
    return more;
  } finally {
    parts.checkpoints.close(threadId, committed);
  }
}

function isOfThread({ first: { envelope }, lane }: TurnStart): boolean {
  return 'threadId' in envelope && envelope.threadId === lane.threadId;
}

function endWithout(
  messages: readonly InboxMessage[],
  outcome: 'stopped' | 'refused' | 'answered',
  reason: string,
): TurnEnd {
  return { turn: null, outcomes: settleAll(messages, outcome, reason), replies: [], thread: null };
}
