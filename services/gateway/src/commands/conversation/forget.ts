import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { forgetConversation } from '@signalbox/store/memory/conversations';
import { forgetAll, forgetFact } from '@signalbox/store/memory/facts';
import type { ChatCommand } from '../chat-command.ts';
import { auditCommand } from '../record.ts';

const FACT_NUMBER = /^[1-9]\d{0,8}$/;
const THREAD_ID = /^user_\S{1,150}$/;

/** `/forget 3` deletes a fact, `/forget user_1001_3` the summary of a conversation, `/forget all` everything. */
export default {
  name: 'forget',
  asksWhenOld: true,
  who: 'viewer',
  personal: true,
  menu: null,
  help: null,
  answer: async ({ db }, typed, asked) => {
    const { userKey } = asked.envelope;
    const target = typed.trim();
    if (target === '') return { text: say('memory.usage') };
    if (target.toLowerCase() === 'all') {
      const count = await forgetAll(db, userKey);
      await auditCommand(db, asked, 'memory.forgotten', { what: 'all', facts: count });
      return { text: say('memory.forgot-all', { count }) };
    }
    const isFact = FACT_NUMBER.test(target);
    const isGone = isFact
      ? await forgetFact(db, userKey, Number(target))
      : THREAD_ID.test(target) && (await forgetConversation(db, userKey, target));
    if (!isGone) return { text: say('memory.nothing-such', { what: toPlainName(target.slice(0, 80)) }) };
    await auditCommand(db, asked, 'memory.forgotten', { what: target });
    return {
      text: isFact ? say('memory.forgot', { n: target }) : say('memory.forgot-conversation', { threadId: target }),
    };
  },
} satisfies ChatCommand;
