import { MAX_FACT_LENGTH } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { explainError, say } from '@signalbox/messages/say';
import { rememberTyped } from '@signalbox/store/memory/facts';
import type { ChatCommand } from '../chat-command.ts';

/** `/remember <text>` stores one fact, in the person's own words. */
export default {
  name: 'remember',
  // The tool that remembers facts needs the same role: viewers change nothing.
  who: 'developer',
  personal: true,
  menu: null,
  help: 'help.remember',
  answer: async ({ db }, typed, { envelope: { id, userKey, borrowed } }) => {
    const text = typed.replace(/\s+/g, ' ').trim();
    if (text === '' || text.length > MAX_FACT_LENGTH) return { text: say('memory.how', { limit: MAX_FACT_LENGTH }) };
    try {
      const outside = borrowed === undefined ? null : 'messages';
      const {
        n,
        fact,
        outside: storedOutside,
      } = await rememberTyped(db, { userKey, fact: text, outside, commandId: id });
      return {
        text: say(storedOutside === null ? 'memory.remembered' : 'memory.remembered-outside', {
          n,
          fact: toPlainName(fact),
        }),
      };
    } catch (error) {
      const refused = error instanceof AppError ? (error as AppError) : null; // `instanceof` leaves the type parameter open
      // Both codes are thrown before any query fails, so the transaction can continue.
      if (refused?.code === 'MEMORY_SECRET' || refused?.code === 'MEMORY_FULL') return { text: explainError(refused) };
      throw error;
    }
  },
} satisfies ChatCommand;
