import { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { GateState, makeGateActionId } from '@signalbox/contracts/operations/gate';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, listRows } from '@signalbox/store/sql';
import { z } from 'zod';
import { removeDecisionButtons } from '../../decided-elsewhere.ts';
import { INGRESS_ACCOUNT, toChatKey, toMessageId, toUserKey } from '../chat-key.ts';
import { ProgramMessage, toContent } from '../message.ts';
import { canWrite } from '../accounts.ts';
import type { IngressSource } from '../sources.ts';
import { answerForbidden, answerInTime, answerTooMany, type IngressResponse, type RequestDeps } from './take-event.ts';

/** What became of an event, as its program reads it. */
export const EventAnswer = z.object({
  id: z.string(),
  status: z
    .enum(['waiting', 'answered', 'failed'])
    .describe('waiting: no turn that took the event has ended. failed: it was refused or stopped, or its turn failed.'),
  reason: z.string().nullable().describe('Why the event failed, as a word for programs; null otherwise.'),
  more: z.boolean().describe('True while more messages may follow.'),
  messages: z.array(ProgramMessage.readonly()).readonly(),
  gate: GateState.optional().describe('What people decided about the gate of this event; missing for other events.'),
});
export type EventAnswer = Readonly<z.infer<typeof EventAnswer>>;

interface EventRow {
  readonly isGate: boolean;
  /** The status of the action that asks for the gate; null before it is asked for, and when it could not be. */
  readonly gateAction: string | null;
  readonly isStored: boolean;
  readonly isLost: boolean;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly turn: string | null;
  readonly turns: readonly string[];
  readonly traces: readonly string[];
  readonly goesOn: boolean;
}

interface MessageRow {
  readonly id: string;
  readonly at: Date;
  readonly body: unknown;
  readonly isProgress: boolean;
  readonly isPressed: boolean;
  readonly shownAs: string | null;
}

const MAX_MESSAGES = 500;

/** Answers with the state of an event to the source that sent the event. Never throws. */
export async function handleAnswerRequest(
  parts: RequestDeps,
  source: IngressSource,
  eventId: string,
): Promise<IngressResponse> {
  const { pool, limit, log } = parts;
  const waitSeconds = await limit.check(source.name, 'reads');
  if (waitSeconds !== null) return answerTooMany(waitSeconds);
  return answerInTime(log, async () => {
    if (!(await canWrite(pool, source))) return answerForbidden();
    const answer = /^evt_[0-9a-z]{20}$/.test(eventId) ? await findEventAnswer(pool, source.name, eventId) : null;
    // Events of other sources look like unknown ones.
    if (answer === null) return { status: 404, body: { error: say('ingress.unknown-event') } };
    return { status: 200, body: { ...answer } };
  });
}

/** Finds the state of an event with its messages in order; null when the source sent no such event. */
async function findEventAnswer(db: Queryable, source: string, eventId: string): Promise<EventAnswer | null> {
  const row = await findEvent(db, source, eventId);
  if (!row) return null;
  const messages = row.isStored ? await listMessages(db, source, row) : [];
  const { status, reason } = toStatus(row);
  const more = status === 'waiting' || row.goesOn;
  return { id: eventId, status, reason, more, messages, ...(row.isGate ? { gate: toGateState(row) } : {}) };
}

/** Only an action that was carried out lets a run pass: whatever cannot be told does not. */
function toGateState({ gateAction, outcome }: EventRow): GateState {
  switch (gateAction) {
    case 'done':
      return 'approved';
    case 'waiting':
    case 'started':
      return 'waiting';
    case 'expired':
      return 'expired';
    case null:
      return outcome === null ? 'waiting' : 'refused';
    default:
      return 'refused';
  }
}

function toStatus({ isStored, isLost, outcome, reason, turn }: EventRow): Pick<EventAnswer, 'status' | 'reason'> {
  // Claimed but not stored: its sender got no 200 and repeats the event, or the event could never be stored.
  if (!isStored) return isLost ? { status: 'failed', reason: 'not storable' } : { status: 'waiting', reason: null };
  if (outcome === null) return { status: 'waiting', reason: null };
  if (outcome !== 'answered' && outcome !== 'merged') return { status: 'failed', reason: reason ?? outcome };
  return turn === 'failed' || turn === 'stopped' || turn === 'dead-lettered'
    ? { status: 'failed', reason: turn }
    : { status: 'answered', reason: null };
}

/** Jobs carry the trace of the turn that started them, and their end starts another turn. Events of one conversation may share a turn. */
function findEvent(db: Queryable, source: string, eventId: string): Promise<EventRow | null> {
  const userKey = toUserKey(source);
  return findRow<EventRow>(db)`
    with event as (
      select v.event_id, i.id, i.outcome, i.reason, i.trace_id, i.turn_id, coalesce(i.envelope ? 'gate', false) as "isGate" from ingress_events v
        left join inbox i on i.channel = 'ingress' and i.bot = ${INGRESS_ACCOUNT} and i.update_id = v.event_id and i.user_key = ${userKey}
       where v.event_id = ${eventId} and v.source = ${source}),
    traces as (
      select trace_id from event where trace_id is not null
       union select t.trace_id from turns t join event e on e.turn_id = t.turn_id),
    turns_of as (
      select turn_id from event where turn_id is not null
       union select i.turn_id from inbox i join traces t on t.trace_id = i.trace_id
              where i.user_key like 'ingress-%' and i.user_key = ${userKey} and i.turn_id is not null)
    select e.id is not null as "isStored", e.outcome, e.reason, e."isGate",
           (select a.status from actions a where a.action_id = ${makeGateActionId(eventId)} and a.user_key = ${userKey}) as "gateAction",
           exists (select 1 from dead_letters d where d.source = 'inbound' and d.ref = ${`ingress:${INGRESS_ACCOUNT}:`} || e.event_id) as "isLost",
           (select t.outcome from turns t where t.turn_id = e.turn_id) as turn,
           coalesce((select array_agg(turn_id) from turns_of), '{}') as turns,
           coalesce((select array_agg(trace_id) from traces), '{}') as traces,
           exists (select 1 from inbox i join traces t on t.trace_id = i.trace_id
                    where i.user_key like 'ingress-%' and i.user_key = ${userKey} and i.outcome is null)
           or exists (select 1 from runs r join traces t on t.trace_id = r.trace_id
                       where r.user_key = ${userKey} and r.status in ('queued', 'running'))
           or exists (select 1 from approvals a join traces t on t.trace_id = a.trace_id
                       where a.user_key = ${userKey} and a.status = 'pending') as "goesOn"
      from event e`;
}

/** Lists a message that changes in place once, in its present form. */
async function listMessages(db: Queryable, source: string, event: EventRow): Promise<readonly ProgramMessage[]> {
  const rows = await listRows<MessageRow>(db)`
    select o.id::text, o.created_at as at, o.body, o.pressed is not null as "isPressed",
           o.slot is not null and not coalesce((o.body ->> 'onlyChanges')::boolean, false) as "isProgress",
           (select s.receipt -> 'messageIds' ->> 0 from outbox s
             where s.chat_key = o.chat_key and s.slot = o.slot and s.status = 'sent' order by s.id desc limit 1) as "shownAs"
      from outbox o
     where o.chat_key like 'ingress:%' and chat_root(o.chat_key) = ${toChatKey(source, null)}
       and (o.trace_id = any (${event.traces}) or o.turn_id = any (${event.turns}))
       and o.status <> 'superseded'
       and (o.slot is null or not exists (
             select 1 from outbox n where n.chat_key = o.chat_key and n.slot = o.slot and n.id > o.id))
     order by coalesce((select min(f.id) from outbox f where f.chat_key = o.chat_key and f.slot = o.slot), o.id) limit ${MAX_MESSAGES}`;
  const messages: ProgramMessage[] = [];
  for (const row of rows) {
    const body = OutboundBody.safeParse(row.body);
    if (body.success) messages.push(await toMessage(db, row, body.data));
  }
  return messages;
}

async function toMessage(db: Queryable, row: MessageRow, body: OutboundBody): Promise<ProgramMessage> {
  // Like a push, the answer says where people decide.
  const words = toContent(await runInLanguage(body.language, () => removeDecisionButtons(db, body)));
  return {
    id: row.shownAs ?? toMessageId(row.id),
    at: row.at.toISOString(),
    ...words,
    buttons: row.isPressed ? [] : words.buttons,
    final: !row.isProgress,
  };
}
