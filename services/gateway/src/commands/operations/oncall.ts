import { say } from '@signalbox/messages/say';
import { sayRota } from '@signalbox/messages/schedule/say-rota';
import { listRotaStates, summarizeRota } from '@signalbox/store/oncall/rota-states';
import type { ChatCommand } from '../chat-command.ts';
import { putNamedCover, removeNamedCovers, removeNamedRota, setRota } from './oncall-changes.ts';

const CHANGES = {
  set: setRota,
  remove: removeNamedRota,
  cover: putNamedCover,
  uncover: removeNamedCovers,
} as const;

/** `/oncall` shows who is on call; `/oncall set Ben, Cleo, every monday at 9` and its other words change it. */
export default {
  name: 'oncall',
  asksWhenOld: true,
  who: 'viewer',
  personal: true,
  menu: { place: 73, description: 'menu.oncall' },
  help: 'help.oncall',
  answer: async (deps, typed, asked) => {
    if (typed === '') {
      const states = await listRotaStates(deps.db);
      return {
        text: states.length === 0 ? say('oncall.none') : states.map((one) => sayRota(summarizeRota(one))).join('\n\n'),
      };
    }
    const [verb = '', ...words] = typed.split(/[^\S\n]+/);
    const name = verb.toLowerCase();
    if (!isChange(name)) return { text: say('oncall.usage') };
    return CHANGES[name](deps, words.join(' '), asked);
  },
} satisfies ChatCommand;

function isChange(name: string): name is keyof typeof CHANGES {
  return Object.hasOwn(CHANGES, name);
}
