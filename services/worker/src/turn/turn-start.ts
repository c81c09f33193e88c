import { AppError } from '@signalbox/contracts/errors';
import { finishLaneTurn, type ClaimedLane, type InboxMessage, type TurnEnd } from '@signalbox/store/turns/lanes';
import type { TurnRecording } from '@signalbox/store/governance/execution-turns';
import type { TurnDeps } from './turn-parts.ts';
import type { TurnTrace } from './turn-trace.ts';

export interface TurnSignals {
  readonly signal: AbortSignal;
  /** The inbox id of the newest /stop during the turn, else 0. */
  stopBefore(): number;
}

/** The start of every turn: a claimed lane with at least one message, of a person with a role. */
export interface TurnStart {
  readonly parts: TurnDeps;
  readonly lane: ClaimedLane;
  readonly first: InboxMessage;
  readonly person: NonNullable<ClaimedLane['person']>;
  readonly signals: TurnSignals;
  readonly trace: TurnTrace;
}

/** Ends the turn and stores its record and its thread's state in one transaction. Returns true when more messages wait. */
export async function finishTurn(
  { parts, lane, trace }: Pick<TurnStart, 'parts' | 'lane' | 'trace'>,
  end: TurnEnd,
  { threadId, recording }: { readonly threadId: string | null; readonly recording: TurnRecording | null } = {
    threadId: null,
    recording: null,
  },
): Promise<boolean> {
  const checkpoint = threadId === null ? null : await parts.checkpoints.pending(threadId, parts.plugin.turnLists);
  const more = await trace.commit(end, async () => {
    const finished = await finishLaneTurn(parts.pool, lane, end, { checkpoint, recording });
    if (!finished.ok) throw new AppError('LANE_LOST', { userKey: lane.userKey });
    return finished.more;
  });
  if (checkpoint) parts.checkpoints.stored(checkpoint.threadId);
  // The words that end a stopped turn are the answer to /stop.
  const isStopped = end.outcomes.some(({ outcome }) => outcome === 'stopped');
  for (const reply of end.replies.slice(0, 1)) await parts.governance.notify(reply.chatKey, reply.traceId, isStopped);
  return more;
}
