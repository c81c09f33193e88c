import { say } from '@signalbox/messages/say';
import { endFollowedLogs } from '@signalbox/store/deploy/followed-logs';
import { stopPlans } from '@signalbox/store/governance/plans';
import { stopLane } from '../../rows/inbox.ts';
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
    const isStopping = await stopLane(db, userKey, inboxId);
    const plans = await stopPlans(db, userKey);
    const ended = await endFollowedLogs(db, { userKey, chatKey });
    // The log's own message says that it was stopped.
    const idleText = ended > 0 ? null : say(plans > 0 ? 'gateway.plan-stops' : 'gateway.nothing-runs');
    return { text: isStopping ? say('gateway.stopping') : idleText, stops: isStopping ? [userKey] : [] };
  },
} satisfies ChatCommand;
