import type { Incoming } from '../channels/channel.ts';
import type { FromPerson } from './choice.ts';

/** So long the rest of a text that a client cut may follow. */
const REST_MS = 5_000;

/**
 * Remembers who wrote what their client may have cut, so that what comes behind it is looked at by itself. In a group the rest does not
 * name us, and is for us all the same. Of this process: the rest comes to the same gateway, but where several serve a webhook.
 */
export function createCuts() {
  const until = new Map<string, number>();
  const keyOf = ({ userKey, chatKey }: Pick<FromPerson, 'userKey' | 'chatKey'>): string => `${userKey} ${chatKey}`;
  const isOpen = (update: FromPerson): boolean => (until.get(keyOf(update)) ?? 0) > Date.now();
  return {
    /** Notes an update. True when it may have been cut, or be the rest of what was. */
    note(update: FromPerson): boolean {
      if (update.kind !== 'text' || update.cut === undefined) return isOpen(update);
      const now = Date.now();
      for (const [key, untilMs] of until) if (untilMs < now) until.delete(key);
      until.set(keyOf(update), now + REST_MS);
      return true;
    },
    /** What an update that was not for us is as the rest of one that was; null when it is nothing. */
    restOf(update: Incoming): FromPerson | null {
      return update.kind === 'ignored' && update.rest && isOpen(update.rest) ? update.rest : null;
    },
  };
}
