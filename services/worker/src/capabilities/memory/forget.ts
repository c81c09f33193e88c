import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { CHANGE_DEFAULTS, tool, type ResolvedRefs } from '../../tools/tool.ts';

/** The fact as it was when it was resolved; its number is never given to another. */
const Meant = z.object({ number: z.number(), fact: z.string() });

export const forgetFact = tool({
  describe:
    'Forget one fact or rule that this person had remembered, by its number or by a piece of its text, when they ask for it.',
  hints: [
    'forget the 16:00 rule',
    'forget that I deploy on Thursdays',
    'forget fact number 3',
    'do not remember my release manager any more',
    'forget my rule about production',
    'forget what I said about Ana',
  ],
  input: z.object({
    number: z.coerce.number().int().min(1).max(999_999_999).optional().describe('Number of the fact'),
    words: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('Without a number: a piece of the fact, such as 16:00')
      .meta({ entity: 'text', ask: 'What should I forget?' }),
  }),
  ...CHANGE_DEFAULTS,
  deadlineMs: 10_000,
  resolve: async ({ number, words }, { ports, threadId, before }) => {
    const known = before === null ? undefined : readMeant(before).number;
    const found = await ports.memory.find(threadId, { number: known ?? number ?? null, words: words ?? null });
    return { number: found.n, fact: found.fact };
  },
  told: ['→ fact'],
  derived: ['→ number'],
  preview: (_input, { resolved }) => ({
    what: say('memory.forgetOrder', { fact: readMeant(resolved).fact }),
    change: say('memory.forgetChange'),
    reach: say('memory.reach'),
    undo: say('memory.forgetUndo'),
  }),
  run: async (_input, { ports, actor, actionId, resolved }) => {
    const { number, fact } = readMeant(resolved);
    // Forgotten before is forgotten.
    await ports.memory.forget({ userKey: actor.userKey, number, actionId, role: actor.role });
    return { number, fact };
  },
  probe: async (_input, { wrote, resolved }) =>
    (await wrote()) ? { kind: 'done', output: readMeant(resolved) } : { kind: 'not-done' },
  phrases: {
    order: ({ number, words }) =>
      say('memory.forgetOrder', { fact: toPlainName([number, words].filter((one) => one !== undefined).join(', ')) }),
    done: ({ number, fact }) => say('memory.forgotFact', { n: number, fact: toPlainName(fact) }),
  },
}).from({ number: 'runtime', fact: 'outside' });

function readMeant(resolved: ResolvedRefs | null): z.output<typeof Meant> {
  return Meant.parse(resolved);
}
