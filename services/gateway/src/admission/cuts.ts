import type { IncomingUpdate } from '../channels/channel.ts';
import type { PersonUpdate } from './choice.ts';

/** The longest time between the parts of a split text. */
const REST_MS = 5_000;

/** Remembers whose client may have split a text. In a group the rest is for the bot although it does not mention the bot. */
export function createSplitTracker() {
  const expiresAt = new Map<string, number>();
  const keyOf = ({ userKey, chatKey }: Pick<PersonUpdate, 'userKey' | 'chatKey'>): string => `${userKey} ${chatKey}`;
  const expectsRest = (update: PersonUpdate): boolean => (expiresAt.get(keyOf(update)) ?? 0) > Date.now();
  return {
    /** Notes an update. True when it may be the start or the rest of a split text. */
    note(update: PersonUpdate): boolean {
      if (update.kind !== 'text' || update.cut === undefined) return expectsRest(update);
      const now = Date.now();
      for (const [key, untilMs] of expiresAt) if (untilMs < now) expiresAt.delete(key);
      expiresAt.set(keyOf(update), now + REST_MS);
      return true;
    },
    /** An update not addressed to the bot, read as the rest of a split text; null when no rest is expected. */
    asRest(update: IncomingUpdate): PersonUpdate | null {
      return update.kind === 'ignored' && update.rest && expectsRest(update.rest) ? update.rest : null;
    },
  };
}
