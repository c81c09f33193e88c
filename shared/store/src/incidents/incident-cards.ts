import {
  OutboundBody,
  SEND_PRIORITY,
  type OutboundEnvelope,
  type RuntimeButton,
} from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { HOUR_MS } from '@signalbox/contracts/time';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { putOutbox } from '../conversation/outbox.ts';
import type { Queryable } from '../pool.ts';
import { findRow, listRows } from '../sql.ts';

/*
 * The card of an incident is the message that told of it, with lines below about what became of it. The message keeps its first text; only
 * the lines change. What is told later of it in the same chat is a card of its own. A change edits all of them.
 */

/** How long a press silences an incident. */
export const SILENCE_MS = HOUR_MS;
/** Times within this are shown without their day. */
const SAME_DAY_MS = 20 * HOUR_MS;

/** Returns the slot of a message about an incident. `once`: the key of the news, such as `opened`. */
export function toIncidentSlot(incidentId: string, once = 'opened'): string {
  return `incident:${incidentId}${once === 'opened' ? '' : `/${once}`}`;
}

export function createIncidentButtons(incidentId: string): readonly RuntimeButton[] {
  return [
    { label: say('alarms.take'), value: 'take it', incident: { incidentId, verb: 'take' } },
    { label: say('alarms.silence'), value: 'silence it', incident: { incidentId, verb: 'silence' } },
  ];
}

interface CardState {
  readonly repeats: number;
  readonly flaps: number;
  readonly heardAt: Date | null;
  readonly takenBy: string | null;
  readonly takenAt: Date | null;
  readonly silencedUntil: Date | null;
  readonly closedAt: Date | null;
  readonly now: Date;
}

/** Builds the messages that bring the card of an incident up to date in every chat where it stands. */
export async function listCardChanges(db: Queryable, incidentId: string): Promise<readonly OutboundEnvelope[]> {
  const state = await findRow<CardState>(db)`
    select repeats, flaps, heard_at as "heardAt", coalesce(u.name, taken_by) as "takenBy", taken_at as "takenAt",
           case when silenced_until > clock_timestamp() then silenced_until end as "silencedUntil", closed_at as "closedAt",
           clock_timestamp() as now
      from incidents left join users u on u.user_key = taken_by where incident_id = ${incidentId}::bigint`;
  if (!state) return [];
  const cards = await listRows<{
    chatKey: string;
    userKey: string | null;
    threadId: string | null;
    slot: string;
    body: unknown;
    changes: number;
  }>(db)`
    select distinct on (chat_key, slot) chat_key as "chatKey", user_key as "userKey", thread_id as "threadId", slot, body,
           (count(*) over (partition by chat_key, slot))::int as changes
      from outbox where split_part(slot, '/', 1) = ${toIncidentSlot(incidentId)} and slot like 'incident:%' order by chat_key, slot, id`;
  return cards.map(({ chatKey, userKey, threadId, slot, body, changes }) => {
    const first = OutboundBody.parse(body);
    return {
      key: `${slot}:${chatKey}:${changes}`,
      chatKey,
      userKey,
      threadId,
      turnId: null,
      traceId: newTraceId(),
      priority: SEND_PRIORITY.control,
      slot,
      body: runInLanguage(first.language ?? null, () => renderCard(first, state)),
    };
  });
}

/** Brings the card of an incident up to date. Returns the chats to wake after the commit. */
export async function updateIncidentCards(db: Queryable, incidentId: string): Promise<readonly string[]> {
  const changes = await listCardChanges(db, incidentId);
  for (const change of changes) await runInLanguage(change.body.language ?? null, () => putOutbox(db, [change]));
  return changes.map(({ chatKey }) => chatKey);
}

function renderCard(first: OutboundBody, state: CardState): OutboundBody {
  const { repeats, flaps, heardAt, takenBy, takenAt, silencedUntil, closedAt, now } = state;
  const at = (moment: Date | null): string => formatMoment(moment ?? now, now);
  const lines = [
    repeats > 0 || flaps > 0 ? say('alarms.times', { count: repeats + flaps + 1, at: at(heardAt) }) : '',
    takenBy === null ? '' : say('alarms.takenBy', { name: toPlainName(takenBy), at: at(takenAt) }),
    silencedUntil === null || closedAt !== null ? '' : say('alarms.silencedUntil', { at: at(silencedUntil) }),
    closedAt === null ? '' : say('alarms.over', { at: at(closedAt) }),
  ].filter((line) => line !== '');
  return {
    ...first,
    text: [first.text, ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n'),
    buttons: first.buttons.filter(({ incident }) => {
      if (closedAt !== null) return false;
      if (incident?.verb === 'take') return takenBy === null;
      return incident?.verb !== 'silence' || silencedUntil === null;
    }),
    onlyChanges: true,
  };
}

/** Formats a time of today as `14:05 UTC`, another with its day. */
export function formatMoment(moment: Date, now: Date): string {
  const text = moment.toISOString();
  const time = `${text.slice(11, 16)} UTC`;
  return Math.abs(now.getTime() - moment.getTime()) < SAME_DAY_MS ? time : `${text.slice(0, 10)} ${time}`;
}
