import { computeBackoffMs, sleep } from '@signalbox/contracts/time';
import type { IncomingUpdate, ChannelListener } from '@signalbox/gateway/channels/channel';
import { say } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { z } from 'zod';
import type { PostboxClient } from './client.ts';
import { readButton } from './encode.ts';

/*
 * The loop:
 *   fetch what came after a number → admit (stored) → that number is the last one's → fetch …
 * A failure anywhere leaves the number alone, so Postbox gives the same updates again. Admission drops those that it knows by their ids.
 */

const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 30_000;

/** Receives updates until closed. Never rejects: what goes wrong is tried again. */
export function listenToUpdates(deps: {
  readonly client: PostboxClient;
  readonly admit: (updates: readonly IncomingUpdate[]) => Promise<void>;
  readonly log: Log;
}): ChannelListener {
  const { client, admit, log } = deps;
  const stop = new AbortController();
  let problem: string | null = say('gateway.not-listening', { channel: 'postbox' });

  const loop = async (): Promise<void> => {
    for (let after = 0, failures = 0; !stop.signal.aborted;) {
      try {
        // The first request does not wait, so that it is known at once whether updates come in.
        const updates = await client.fetchUpdates(after, { holds: problem === null, signal: stop.signal });
        if (updates.length > 0) await admit(updates.map(decode));
        after = updates.at(-1)?.id ?? after;
        problem = null;
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        problem = say('gateway.not-listening', { channel: 'postbox' });
        log.warn('updates do not come in', { channel: 'postbox', error });
        await sleep(computeBackoffMs(failures, BACKOFF_BASE_MS, BACKOFF_MAX_MS), stop.signal);
        failures += 1;
      }
    }
  };
  const ended = loop();
  const close = async (): Promise<void> => {
    stop.abort();
    await ended;
  };
  return { ended, problem: () => problem, close };
}

/** Names at Postbox. They become parts of keys, so they hold none of the signs that keys are made of. */
const Name = z.string().regex(/^[\w.-]{1,60}$/);

const Update = z.object({
  id: z.int().nonnegative(),
  kind: z.string(),
  person: z.object({ id: Name, name: z.string().default('') }),
  chat: Name,
  messageId: Name,
  /** Unix seconds; far-off numbers would not fit into a Date. */
  at: z.int().min(0).max(4_102_444_800),
  text: z.string().default(''),
  press: z.object({ id: Name, data: z.string() }).optional(),
});

/** What an update means to us. Never throws: nonsense is ignored with its reason. */
function decode(raw: { readonly id: number }): IncomingUpdate {
  const parsed = Update.safeParse(raw);
  if (!parsed.success) return ignore(raw.id, 'not readable');
  const { id, kind, person, chat, messageId, at, text, press } = parsed.data;
  const from = {
    updateId: String(id),
    userKey: `postbox-${person.id}`,
    chatKey: `postbox:${chat}`,
    chatKind: 'private',
    name: clean(person.name.slice(0, 100)).trim() || person.id,
    at: new Date(at * 1_000).toISOString(),
    messageId,
  } as const;
  if (kind === 'edit') return { ...from, kind, text: clean(text), album: null };
  if (press) {
    const button = readButton(press.data);
    if (button) return { ...from, ...button, kind: 'press', pressId: press.id };
    return ignore(id, 'foreign button', press.id);
  }
  if (kind !== 'message') return ignore(id, 'unknown kind');
  return { ...from, kind: 'text', text: clean(text), named: true, whisper: false, attachments: [], album: null };
}

/** Postgres stores neither NUL nor half a character. */
function clean(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

function ignore(id: number, reason: string, pressId: string | null = null): IncomingUpdate {
  return { kind: 'ignored', updateId: String(id), reason, pressId };
}
