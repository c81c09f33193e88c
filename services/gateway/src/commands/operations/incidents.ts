import { say } from '@signalbox/messages/say';
import { describeOpenIncident, listIncidentStates } from '@signalbox/store/incidents/incident-states';
import type { ChatCommand } from '../chat-command.ts';

const MAX_LISTED = 15;

/** `/incidents` lists what is open now, and who looks after it. */
export default {
  name: 'incidents',
  who: 'developer',
  personal: true,
  menu: { place: 72, description: 'menu.incidents' },
  help: 'help.incidents',
  answer: async ({ db }) => {
    const open = await listIncidentStates(db, MAX_LISTED + 1);
    if (open.length === 0) return { text: say('alarms.nothingOpen') };
    const more = open.length > MAX_LISTED ? [say('alarms.moreOpen')] : [];
    const now = new Date();
    const lines = open.slice(0, MAX_LISTED).map((one) => describeOpenIncident(one, now));
    return { text: [...lines, ...more].join('\n') };
  },
} satisfies ChatCommand;
