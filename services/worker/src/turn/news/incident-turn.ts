import type { TurnRecording } from '@signalbox/store/governance/execution-turns';
import type { OfferedButton, ActionButton, InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { ClaimedLane, InboxMessage, TurnEnd } from '@signalbox/store/turns/lanes';
import type { AgentRun } from '../../agents/agent.ts';
import { bindOffers } from '@signalbox/governance/offers';
import {
  buildTurnContext,
  endWithEventNotice,
  endWithNotice,
  buildOutbound,
  toTurnRow,
  toNoticeText,
  settleAll,
  type TurnContext,
} from '../turn-end.ts';
import type { TurnDeps } from '../turn-parts.ts';
import { recordTurn } from '../turn-record.ts';
import { readCardService, toCardText, withCard, type CardService } from './incident-card.ts';

const TITLE_LENGTH = 80;

/** Reports an incident in the open conversation, so that a question such as "why?" continues from it. */
export async function reportIncidentInThread(
  parts: TurnDeps,
  lane: ClaimedLane,
  message: InboxMessage,
  person: NonNullable<ClaimedLane['person']>,
): Promise<{ readonly end: TurnEnd; readonly recording: TurnRecording }> {
  const { envelope } = message;
  if (envelope.kind !== 'incident')
    throw new Error(`an incident is told by its own envelope, not by a ${envelope.kind}`);
  const context = buildTurnContext(lane, message);
  const { say: text, project: about, phase } = envelope;
  const actor = { userKey: lane.userKey, ...person };
  const service = await readCardService(parts, envelope);
  const buttons = await offer(parts, context, actor, [...envelope.buttons, ...service.buttons]);
  const told = buildOutbound(context, { key: envelope.id, text: toText(envelope, service), buttons });
  const noted = await parts.agent.note({
    run: { threadId: context.threadId, turnId: context.turnId, actor },
    messages: [],
    isNew: false,
    text,
    about,
    event: 'incident',
  });
  const recording = recordTurn(parts, context, {
    record: noted,
    outcome: 'notice',
    note: text,
    about,
    event: 'incident',
    resume: null,
    isThreadOver: false,
  });
  const title = lane.threadNew && phase === 'opened' ? plainLine(text).slice(0, TITLE_LENGTH) : null;
  return {
    recording,
    end: {
      turn: toTurnRow(parts, context, 'notice'),
      outcomes: settleAll([message], 'answered', 'incident'),
      // The person reads the log's lines and no agent does: the conversation gets measured values only.
      replies: await withCard(parts, envelope, told),
      thread: { threadId: context.threadId, status: 'open', awaiting: false, title, summary: null },
    },
  };
}

/** Reports an incident beside the conversation, whose open question stays open. */
export async function endWithIncidentNotice(
  parts: TurnDeps,
  lane: ClaimedLane,
  message: InboxMessage,
  person: NonNullable<ClaimedLane['person']>,
): Promise<TurnEnd> {
  const { envelope } = message;
  if (envelope.kind !== 'incident') return endWithEventNotice(parts, lane, message, {});
  const context = buildTurnContext(lane, message);
  const service = await readCardService(parts, envelope);
  const actor = { userKey: lane.userKey, ...person };
  const buttons = await offer(parts, context, actor, [...envelope.buttons, ...service.buttons]);
  const end = endWithNotice(parts, context, toText(envelope, service), { buttons });
  const [told] = end.replies;
  return told ? { ...end, replies: await withCard(parts, envelope, told) } : end;
}

/** The message about an incident. The words of an alarm are no lines of a log. */
function toText(envelope: Extract<InboundEnvelope, { kind: 'incident' }>, service: CardService): string {
  return envelope.card ? toCardText(envelope, service) : toNoticeText(envelope);
}

/** Binds buttons to their meaning, where no look-up is needed: see governance/offers.ts. */
function offer(
  { governance, plugin }: TurnDeps,
  context: TurnContext,
  actor: AgentRun['actor'],
  buttons: readonly ActionButton[],
): Promise<readonly OfferedButton[]> {
  return bindOffers(governance.tools, { ...context, agent: plugin, actor }, buttons, null);
}

function plainLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').replace(/[*_`#]/g, '').trim();
}
