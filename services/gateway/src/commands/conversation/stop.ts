import { say } from '@signalbox/messages/say';
import { endFollowedLogs } from '@signalbox/store/deploy/followed-logs';
import { stopChanges } from '@signalbox/store/engineering/changes';
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
    const changes = await stopChanges(db, userKey, say('gateway.change-stopped'));
    const ended = await endFollowedLogs(db, { userKey, chatKey });
    // The log's own message says that it was stopped.
    const stopped = changes > 0 ? say('gateway.changes-stop', { count: changes }) : say('gateway.plan-stops');
    const told = plans + changes > 0 ? stopped : say('gateway.nothing-runs');
    const idleText = ended > 0 ? null : told;
    return { text: isStopping ? say('gateway.stopping') : idleText, stops: isStopping ? [userKey] : [] };
  },
} satisfies ChatCommand;
