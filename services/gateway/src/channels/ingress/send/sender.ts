import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Log } from '@signalbox/platform/log';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { formatTraceparent } from '@signalbox/platform/tracing/trace-context';
import { ROOT_SPAN_KEY } from '@signalbox/platform/tracing/tracing';
import { findRow } from '@signalbox/store/sql';
import { getTopic } from '../../chat-key.ts';
import type { EncodedRow, SendResult } from '../../channel.ts';
import { getIngressSource, toMessageId, toOutboxId, toUserKey } from '../chat-key.ts';
import { toContent, type ProgramMessage } from '../message.ts';
import type { IngressSource } from '../sources.ts';
import { CallbackCircuitBreaker } from './callback-gate.ts';
import type { Pusher } from './push.ts';

interface SentRow {
  readonly at: Date;
  readonly isProgress: boolean;
  readonly traceId: string;
  /** The events that the message answers, oldest first (events of one turn share it); empty when unknown. */
  readonly events: readonly AnsweredEvent[];
}

interface AnsweredEvent {
  readonly eventId: string;
  readonly callback: string | null;
}

/** A whole message: programs need no parts. */
export interface IngressPart {
  readonly outboxId: number;
  readonly words: Omit<ProgramMessage, 'id' | 'at' | 'final'>;
  /** True for progress that will change again. */
  readonly isUnderway: boolean;
}

export function encodeMessage(body: OutboundBody, { outboxId }: EncodedRow): readonly IngressPart[] {
  return [{ outboxId, words: toContent(body), isUnderway: body.progress === 'underway' }];
}

/*
 * Without a callback a row counts as sent, since the program polls for it. Otherwise new and changed messages are posted;
 * of progress only the first and last step. Each post has an id of its own, also for each event of a shared turn, so
 * that receivers detect repeats.
 */

/** Sends messages to the callbacks of their sources. Never throws. */
export function createSender(deps: {
  readonly pool: Pool;
  readonly sources: ReadonlyMap<string, IngressSource>;
  readonly pusher: Pusher;
  readonly log: Log;
}) {
  const { pool, sources, pusher, log } = deps;
  const gates = new Map<string, CallbackCircuitBreaker>();

  const getGate = (url: string): CallbackCircuitBreaker => {
    const gate = gates.get(url) ?? new CallbackCircuitBreaker();
    gates.set(url, gate);
    return gate;
  };

  const post = async (
    chatKey: string,
    { outboxId, words }: IngressPart,
    extras: Pick<ProgramMessage, 'replaces' | 'notice'>,
  ): Promise<SendResult> => {
    const id = toMessageId(outboxId);
    const source = sources.get(getIngressSource(chatKey));
    // A source that the file no longer names gets no messages.
    if (!source) return { kind: 'blocked', reason: 'the source is not in the file any more' };
    if (source.callbacks.length === 0) return { kind: 'sent', messageId: id };
    const row = await findSentRow(pool, source.name, outboxId);
    const at = (row?.at ?? new Date()).toISOString();
    const final = row?.isProgress !== true;
    const known = row?.events ?? [];
    const events = known.length > 0 ? known : [{ eventId: null, callback: source.callbacks[0] ?? null }];
    const traceparent = row && formatTraceparent(row.traceId, ROOT_SPAN_KEY);
    for (const [index, { eventId, callback: url }] of events.entries()) {
      // A callback that the file no longer names is not called.
      if (url === null || !source.callbacks.includes(url)) continue;
      // The oldest event gets the message itself; later events of the turn get it under a derived id, so that ids stay
      // stable when a resumed turn has more events.
      const idSuffix = index === 0 ? '' : `.${eventId}`;
      const replaces = extras.replaces === undefined ? {} : { replaces: `${extras.replaces}${idSuffix}` };
      const message: ProgramMessage = { id: `${id}${idSuffix}`, at, ...words, final, ...extras, ...replaces };
      const payload = { event: eventId, conversation: getTopic(chatKey), message };
      const sent = await getGate(`${source.name} ${url}`).send(() =>
        pusher.push(source, url, { messageId: message.id, payload, traceparent }),
      );
      if (sent.kind !== 'sent') return sent;
    }
    return { kind: 'sent', messageId: id };
  };

  const sendSafely = async (work: () => Promise<SendResult>): Promise<SendResult> => {
    try {
      return await work();
    } catch (error) {
      log.warn('ingress message not sent', { error });
      return { kind: 'busy', detail: 'its event could not be looked up' };
    }
  };

  return {
    send: (chatKey: string, part: IngressPart, firstLine: string | null): Promise<SendResult> =>
      sendSafely(() => post(chatKey, part, firstLine === null ? {} : { notice: firstLine })),
    /** The message keeps its id; polling shows the new text. */
    edit: (chatKey: string, messageId: string, part: IngressPart): Promise<SendResult> =>
      sendSafely(async () => {
        if (toOutboxId(messageId) === null) return { kind: 'gone' };
        if (part.isUnderway) return { kind: 'sent', messageId };
        const sent = await post(chatKey, part, { replaces: messageId });
        return sent.kind === 'sent' ? { kind: 'sent', messageId } : sent;
      }),
  };
}

/** Finds an outbox row with the events that it answers: those of its turn, found by turn or by the trace of the first event. */
function findSentRow(db: Queryable, source: string, outboxId: number): Promise<SentRow | null> {
  const userKey = toUserKey(source);
  return findRow<SentRow>(db, 'ingress_sent_row')`
    with row as (
      select o.created_at, o.slot is not null and not coalesce((o.body ->> 'onlyChanges')::boolean, false) as is_progress, o.trace_id, o.turn_id
        from outbox o where o.id = ${outboxId}),
    known as (
      select i.id, i.chat_key, i.outcome, i.turn_id from inbox i, row
       where i.user_key like 'ingress-%' and i.user_key = ${userKey} and i.channel = 'ingress'
         and (i.trace_id = row.trace_id or i.turn_id = row.turn_id)),
    answered as (
      select id from known
       union select i.id from inbox i join known k on k.turn_id = i.turn_id where i.user_key like 'ingress-%' and i.user_key = ${userKey}
       union select i.id from inbox i join known k on k.outcome is null and k.chat_key = i.chat_key and k.id < i.id
               join lanes l on l.user_key = i.user_key and l.begun > 0 and i.id <= l.taken_to
              where i.user_key = ${userKey} and i.outcome is null)
    select row.created_at as at, row.is_progress as "isProgress", row.trace_id as "traceId",
           coalesce((
             select json_agg(json_build_object('eventId', v.event_id, 'callback', v.callback) order by i.id) from answered a
               join inbox i on i.id = a.id join ingress_events v on v.event_id = i.update_id), '[]') as events
      from row`;
}
