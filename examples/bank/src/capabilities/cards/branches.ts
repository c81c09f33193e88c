import { z } from 'zod';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { LOOK_UP, tool } from '@signalbox/worker/tools/tool';

export const findBranches = tool({
  describe: 'Find branches of the bank, in one city or everywhere, with their opening hours.',
  hints: [
    'find a bank branch',
    'where is the nearest branch of the bank',
    'bank branches in Hamburg',
    'opening hours of the bank branch',
    'which bank branch is open',
    'address of a branch of the bank',
  ],
  input: z.object({ city: z.string().trim().min(1).max(80).optional().describe('Only of this city') }),
  ...LOOK_UP,
  run: async ({ city = null }, { ports }) => ({ branches: await ports.cards.branches(city) }),
  phrases: {
    done: ({ branches }, { city = '' }) => {
      if (branches.length === 0) return say('cards.noBranch', { hasCity: city !== '', city: toPlainName(city) });
      return branches.map((branch) => `- ${say('cards.branch', { ...branch })}`).join('\n');
    },
  },
});
