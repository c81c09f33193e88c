import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Log } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import { topicOf } from '../../chat-key.ts';
import type { EncodedRow, Sent } from '../../channel.ts';
import { sourceOf, toMessageId, toOutboxId } from '../chat-key.ts';
import { wordsOf, type ProgramMessage } from '../message.ts';
import type { Source } from '../sources.ts';
import { CallbackGate } from './callback-gate.ts';
import { findSentRow } from './find-row.ts';
import type { Pusher } from './push.ts';

/** A message, whole: programs need none in parts. */
export interface Part {
  readonly outboxId: number;
  readonly words: Omit<ProgramMessage, 'id' | 'at' | 'final'>;
  /** It says how far something is that goes on. */
  readonly isUnderway: boolean;
}

/** One part per row. */
export function encode(body: OutboundBody, { outboxId }: EncodedRow): readonly Part[] {
  return [{ outboxId, words: wordsOf(body), isUnderway: body.progress === 'underway' }];
}

/*
 * A row without a callback is sent once it can be read, which it can as soon as it is written.
 * With one, new messages and their changes are posted; of the steps of work only the first and the last, because a program wants to know
 * that something has begun and how it ended, and may read in between how far it is. Each post has an id of its own, so that its receiver
 * knows what came twice; so has the post to each of the events that shared a turn.
 */

/** Sends messages to the callbacks of their sources. Nothing here throws. */
export function createSender(deps: {
  readonly pool: Pool;
  readonly sources: ReadonlyMap<string, Source>;
  readonly pusher: Pusher;
  readonly log: Log;
}) {
  const { pool, sources, pusher, log } = deps;
  const gates = new Map<string, CallbackGate>();

  const gateOf = (url: string): CallbackGate => {
    const gate = gates.get(url) ?? new CallbackGate();
    gates.set(url, gate);
    return gate;
  };

  const post = async (
    chatKey: string,
    { outboxId, words }: Part,
    more: Pick<ProgramMessage, 'replaces' | 'notice'>,
  ): Promise<Sent> => {
    const id = toMessageId(outboxId);
    const source = sources.get(sourceOf(chatKey));
    // Who is not in the file any more is written to no more; the gateway has nothing against it.
    if (!source) return { kind: 'blocked', reason: 'the source is not in the file any more' };
    if (source.callbacks.length === 0) return { kind: 'sent', messageId: id };
    const row = await findSentRow(pool, source.name, outboxId);
    const at = (row?.at ?? new Date()).toISOString();
    const final = row?.isProgress !== true;
    const known = row?.events ?? [];
    const events = known.length > 0 ? known : [{ eventId: null, callback: source.callbacks[0] ?? null }];
    for (const [place, { eventId, callback: url }] of events.entries()) {
      // The address of an event counts only as long as the file has it.
      if (url === null || !source.callbacks.includes(url)) continue;
      // The oldest event has the message itself, and a later one of the same turn has it under an id of its own: a turn that is taken up
      // again may have more events, and what was posted keeps its id.
      const own = place === 0 ? '' : `.${eventId}`;
      const replaces = more.replaces === undefined ? {} : { replaces: `${more.replaces}${own}` };
      const message: ProgramMessage = { id: `${id}${own}`, at, ...words, final, ...more, ...replaces };
      const payload = { event: eventId, conversation: topicOf(chatKey), message };
      const sent = await gateOf(`${source.name} ${url}`).through(() => pusher.push(source, url, message.id, payload));
      if (sent.kind !== 'sent') return sent;
    }
    return { kind: 'sent', messageId: id };
  };

  const safely = async (work: () => Promise<Sent>): Promise<Sent> => {
    try {
      return await work();
    } catch (error) {
      log.warn('ingress message not sent', { error });
      return { kind: 'busy', detail: 'its event could not be looked up' };
    }
  };

  return {
    send: (chatKey: string, part: Part, firstLine: string | null): Promise<Sent> =>
      safely(() => post(chatKey, part, firstLine === null ? {} : { notice: firstLine })),
    /** The message keeps its id: whoever reads it finds it changed. */
    edit: (chatKey: string, messageId: string, part: Part): Promise<Sent> =>
      safely(async () => {
        if (toOutboxId(messageId) === null) return { kind: 'gone' };
        if (part.isUnderway) return { kind: 'sent', messageId };
        const sent = await post(chatKey, part, { replaces: messageId });
        return sent.kind === 'sent' ? { kind: 'sent', messageId } : sent;
      }),
  };
}
