import { plainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { forgetConversation } from '@signalbox/store/memory/conversations';
import { forgetAll, forgetFact } from '@signalbox/store/memory/facts';
import type { ChatCommand } from '../chat-command.ts';
import { recordCommand } from '../record.ts';

/** Numbers of facts are whole and small; what is longer is none. */
const NUMBER = /^[1-9]\d{0,8}$/;
const THREAD = /^user_\S{1,150}$/;

/** `/forget 3` removes a fact, `/forget user_1001_3` what a conversation came to, `/forget all` everything. */
export default {
  name: 'forget',
  asksWhenOld: true,
  who: 'viewer',
  personal: true,
  menu: null,
  help: null,
  answer: async ({ db }, typed, asked) => {
    const { userKey } = asked.envelope;
    const what = typed.trim();
    if (what === '') return { text: say('memory.usage') };
    if (what.toLowerCase() === 'all') {
      const count = await forgetAll(db, userKey);
      await recordCommand(db, asked, 'memory.forgotten', { what: 'all', facts: count });
      return { text: say('memory.forgot-all', { count }) };
    }
    const isFact = NUMBER.test(what);
    const isGone = isFact
      ? await forgetFact(db, userKey, Number(what))
      : THREAD.test(what) && (await forgetConversation(db, userKey, what));
    if (!isGone) return { text: say('memory.nothing-such', { what: plainName(what.slice(0, 80)) }) };
    await recordCommand(db, asked, 'memory.forgotten', { what });
    return {
      text: isFact ? say('memory.forgot', { n: what }) : say('memory.forgot-conversation', { threadId: what }),
    };
  },
} satisfies ChatCommand;
