import { type OutboundEnvelope, SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import type { Lane } from '@signalbox/store/conversation/lane';
import { putTurnMessages } from '@signalbox/store/conversation/outbox';
import { AppError } from '@signalbox/contracts/errors';
import { hasUntrustedText, collectTexts } from '@signalbox/contracts/governance/outside';
import { makeAnswerId } from '@signalbox/contracts/ids';
import type { Picture } from '@signalbox/models/port';
import type { AgentRun } from '../agents/agent.ts';
import type { TurnDraft } from './draft.ts';
import { findChoices, resolveNewestArgs } from '../tools/choices.ts';
import { executeCall } from '@signalbox/governance/action-run';
import { type PhaseMachine, getNewestPass } from '../loop/fsm.ts';
import { judgePass } from '../loop/judge.ts';
import { createReader } from './knowledge-reader.ts';
import { decideOffer, pruneGroups, loadGroups } from '../loop/load-groups.ts';
import { taintThread } from '@signalbox/governance/provenance/taint';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { TurnReport } from './turn-account.ts';
import type { TurnDeps } from './turn-parts.ts';
import { type TurnContext, buildOutbound } from './turn-end.ts';

type OwnScope = Pick<CallScope, 'actor' | 'signal' | 'log'>;

export function toCallScope(
  parts: TurnDeps,
  context: TurnContext,
  /** `isThreadOver`: true when nothing more of the thread is stored. */
  { machine, isThreadOver, ...own }: OwnScope & { readonly machine: PhaseMachine; readonly isThreadOver: boolean },
): CallScope {
  const { lane, batch, threadId, turnId, chatKey, traceId } = context;
  const flush = async (): Promise<void> => {
    if (!isThreadOver) await parts.checkpoints.flush(threadId);
  };
  return {
    lane,
    now: lane.now,
    turnId,
    turnKey: batch[0]?.envelope.id ?? turnId,
    threadId,
    chatKey,
    traceId,
    ...own,
    ...ageOf(batch),
    inGroup: batch.some(({ envelope }) => envelope.kind === 'message' && envelope.chatKind === 'group'),
    agent: parts.plugin,
    enter: machine.to,
    flush,
    flushWith: async (write) => {
      const checkpoint = isThreadOver ? null : await parts.checkpoints.pending(threadId);
      const written = await write(checkpoint);
      if (checkpoint) parts.checkpoints.stored(threadId);
      return written;
    },
    say: async (text, slot, key) => {
      await flush();
      const row = buildOutbound(context, { key, text, buttons: [] });
      await put(parts, lane, { ...row, slot, priority: SEND_PRIORITY.progress });
    },
  };
}

/** Returns the greatest age of the messages' requests; a pressed button's request counts from the press. */
function ageOf(batch: TurnContext['batch']): Pick<CallScope, 'ageMs'> {
  const ages = batch.flatMap(({ envelope }) => (envelope.kind === 'message' && envelope.ageMs ? [envelope.ageMs] : []));
  return ages.length === 0 ? {} : { ageMs: Math.max(...ages) };
}

async function put(parts: TurnDeps, lane: Lane, row: OutboundEnvelope): Promise<void> {
  if (!(await putTurnMessages(parts.pool, lane, [row]))) throw new AppError('LANE_LOST', { userKey: lane.userKey });
  await parts.governance.notify(row.chatKey, row.traceId);
}

export function createAgentRun(
  parts: TurnDeps,
  context: TurnContext,
  made: {
    readonly scope: CallScope;
    readonly draft: TurnDraft;
    readonly account: TurnReport;
    readonly pictures: readonly Picture[];
  },
  machine: PhaseMachine,
): AgentRun {
  const { threadId, turnId, chatKey, traceId, spending } = context;
  const { draft, account } = made;
  const scope: CallScope = { ...made.scope, enter: machine.to };
  const reads = (source: string): Promise<void> => taintThread(parts.pool, threadId, source);
  return {
    turnId,
    threadId,
    traceId,
    chatKey,
    actor: scope.actor,
    signal: scope.signal,
    ...(made.pictures.length > 0 ? { pictures: made.pictures } : {}),
    enter: machine.to,
    path: () => getNewestPass(machine.path()),
    answerId: (turnKey, pass) => makeAnswerId(threadId, turnKey, pass),
    load: (groups) => loadGroups(parts.governance, scope, groups),
    offer: (groups) => Promise.resolve(decideOffer(parts.governance, scope, groups)),
    keep: (groups) => pruneGroups(parts.governance, scope, groups),
    judge: (pass) => judgePass(parts.governance, scope.actor.userKey, pass, spending.used()),
    call: async ({ callId, ...call }) => {
      const { tool } = call;
      const result = await executeCall(parts.governance, scope, { actionId: callId, ...call });
      account.note(tool, result);
      if (result.changed || !result.ok) parts.account.names.forget();
      return result;
    },
    say: async (reply) => {
      draft.settle();
      await scope.flush();
      await put(parts, context.lane, buildOutbound(context, await account.midway(reply)));
    },
    lookUp: {
      choices: async (callId, asked) => {
        const choices = await findChoices(parts.choices, scope, callId, asked);
        if (hasUntrustedText(choices, collectTexts(asked.arguments))) await reads(asked.tool);
        return choices;
      },
      meant: async (callId, tool, args) => {
        const meant = await resolveNewestArgs(parts.choices, scope, { actionId: callId, tool, args });
        if (hasUntrustedText(meant, collectTexts(args))) await reads(tool);
        return meant;
      },
    },
    reader: (callId) => createReader(parts, scope, callId),
    reads,
    draft: draft.show,
    spent: spending.add,
    warn: (message, fields) => scope.log.warn(message, { ...fields }),
  };
}
