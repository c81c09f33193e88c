import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { renderExactAction } from '@signalbox/safety/cards/canonical-card';
import { runInLanguage } from '@signalbox/messages/language';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import type { Queryable } from '@signalbox/store/pool';
import { claimUnsettled, postponeProbe, type UnsettledAction } from '@signalbox/store/governance/unsettled';
import { newTraceId } from '@signalbox/contracts/ids';
import type { Log } from '@signalbox/platform/log';
import { computeBackoffMs, SECOND_MS } from '@signalbox/contracts/time';
import type { ToolCallResult } from './calls/call.ts';
import type { CallScope } from './calls/call.ts';
import type { GovernanceDeps } from './deps.ts';
import { toRunnableCall } from './proposal.ts';
import { createUnknownOutcome, settleByProbe, type SettledStatus } from './settling.ts';

/** Lease of a probe, longer than any tool's probe may take: two workers never probe at once. */
const LEASE_MS = 90 * SECOND_MS;
const FIRST_PAUSE_MS = 2 * SECOND_MS;
const LONGEST_PAUSE_MS = 600 * SECOND_MS;

/** The message to a person about an effect that was probed after its turn. */
export type SayEffectOutcome = (status: SettledStatus, outcome: ToolCallResult, exact: string) => string;

/**
 * Probes one started action with an unknown outcome, when its turn is over and the probe is due. A known outcome is settled and reported
 * to the requester in one transaction; otherwise the action is probed again, less and less often. Returns false when no action is due. An
 * action whose tool cannot probe is reported once and left to people.
 */
export async function reconcileNextAction(
  deps: GovernanceDeps,
  news: SayEffectOutcome,
  signal: AbortSignal,
  log: Log,
): Promise<boolean> {
  const due = await claimUnsettled(deps.pool, LEASE_MS);
  return due !== null && runInLanguage(due.language, () => reconcile(deps, due, { news, signal, log }));
}

async function reconcile(
  deps: GovernanceDeps,
  due: UnsettledAction,
  { news, signal, log }: { readonly news: SayEffectOutcome; readonly signal: AbortSignal; readonly log: Log },
): Promise<true> {
  const { actionId } = due;
  const { action } = due.proposal;
  const tell = async (db: Queryable, status: SettledStatus, outcome: ToolCallResult): Promise<void> => {
    const body = { text: news(status, outcome, renderExactAction(action)), buttons: [] };
    const { chatKey, threadId, requester } = action;
    const head = { chatKey, threadId, userKey: requester.userKey, turnId: due.turnId, traceId: newTraceId() };
    await putOutbox(db, [{ ...head, key: `looked-up:${actionId}:${status}`, priority: SEND_PRIORITY.reply, body }]);
  };
  const call = toRunnableCall(deps.tools, due.proposal) ?? { actionId, name: due.tool };
  const unknown = createUnknownOutcome(call);
  const scope = toCallScope(due, signal, log);
  const outcome = await settleByProbe({ deps, scope, call }, { proposal: due.proposal, unknown, then: tell });
  log.info('effect looked up', { actionId, tool: due.tool, ok: outcome.ok, code: outcome.code, probes: due.probes });
  await deps.notify(action.chatKey, scope.traceId);
  if (outcome !== unknown) return true;
  const canTell = 'tool' in call && call.tool.probe !== null;
  await postponeProbe(
    deps.pool,
    actionId,
    canTell ? computeBackoffMs(due.probes, FIRST_PAUSE_MS, LONGEST_PAUSE_MS) : null,
  );
  return true;
}

/** Only the requester and the chat of the ended turn are known. */
function toCallScope(
  { proposal, turnId, turnKey, userName }: UnsettledAction,
  signal: AbortSignal,
  log: Log,
): CallScope {
  const { action, question } = proposal;
  const { requester, threadId, chatKey } = action;
  return {
    lane: { userKey: requester.userKey, epoch: '0' },
    now: () => new Date(), // only probes use this clock, and they store no times
    turnId,
    turnKey: turnKey ?? turnId,
    threadId,
    chatKey,
    traceId: newTraceId(),
    actor: { userKey: requester.userKey, role: requester.role, name: userName },
    signal,
    log,
    inGroup: question.context.inGroup,
    agent: { id: action.agent, class: action.agentClass },
    enter: () => undefined,
    flush: () => Promise.resolve(),
    flushWith: (write) => write(null),
    say: () => Promise.resolve(),
  };
}
