import { freezeChanges } from '@signalbox/governance/freezes/freezes';
import { describeFreeze } from '@signalbox/messages/describe-freeze';
import { say } from '@signalbox/messages/say';
import type { ChatCommand } from '../chat-command.ts';
import { createDeciderNotices } from '../deciders.ts';

export default {
  name: 'freeze',
  who: 'operator',
  personal: false,
  menu: null,
  help: 'help.freeze',
  answer: async ({ db }, reason, asked) => {
    const { envelope, role } = asked;
    const set = { reason, at: envelope.at, until: null, zone: 'UTC' };
    const { freeze, notice } = await freezeChanges(db, { ...envelope, role }, set);
    if (!freeze || !notice) return { text: say('control.frozen-already') };
    const text = say('control.frozen', describeFreeze(freeze));
    return { text, notices: await createDeciderNotices(db, asked, notice) };
  },
} satisfies ChatCommand;
