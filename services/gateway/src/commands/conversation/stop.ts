import { say } from '@signalbox/messages/say';
import { endFollowedLogs } from '@signalbox/store/deploy/followed-logs';
import { stopLane } from '../../admission/inbox.ts';
import type { ChatCommand } from '../chat-command.ts';

export default {
  name: 'stop',
  who: 'viewer',
  forPrograms: true,
  personal: false,
  menu: { place: 20, description: 'menu.stop' },
  help: 'help.stop',
  answer: async ({ db }, _, { envelope, inboxId }) => {
    const { userKey, chatKey } = envelope;
    const stops = await stopLane(db, userKey, inboxId);
    const ended = await endFollowedLogs(db, { userKey, chatKey });
    // The message of a followed log says that it was stopped.
    const otherwise = ended > 0 ? null : say('gateway.nothing-runs');
    return { text: stops ? say('gateway.stopping') : otherwise, stops: stops ? [userKey] : [] };
  },
} satisfies ChatCommand;
