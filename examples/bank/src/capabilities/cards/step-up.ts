import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { tool, type ResolvedRefs } from '@signalbox/worker/tools/tool';
import { OWN_CARD } from './fields.ts';

/** A code that an operator passes on needs the operator's approval, so that the operator knows whom they speak to. */
export const sendStepUpCode = tool({
  describe:
    'Send this person a code by which they prove who they are: to another private chat of theirs, or to an operator who passes it on.',
  hints: [
    'send me a code for my card',
    'send a step up code',
    'send the code that proves who i am',
    'i need a card code',
    'send the card code again',
    'send the card code to an operator',
  ],
  input: z.object({
    by: z
      .enum(['chat', 'operator'])
      .default('chat')
      .describe('`operator` when the person cannot read their other chat, or has none'),
  }),
  ...OWN_CARD,
  risk: ({ by }, resolved) => (by === 'operator' || resolved?.['to'] === 'operator' ? 'dangerous' : 'sensitive'),
  resolve: async ({ by }, { ports, threadId }): Promise<ResolvedRefs> => {
    const route = await ports.cards.routeOf(threadId);
    return by === 'operator' || route.to === 'operator' ? { to: 'operator' } : { to: route.channel };
  },
  resources: (_input, resolved) => (resolved ? [`code-to:${String(resolved['to'])}`] : []),
  preview: () => ({
    what: say('cards.codeOrder'),
    change: say('cards.codeChange'),
    reach: say('cards.codeReach'),
    undo: say('cards.codeUndo'),
  }),
  run: async (_input, { ports, actor, actionId, resolved }) => {
    const to = resolved?.['to'] === 'operator' ? 'operator' : 'chat';
    return ports.cards.sendCode(to, actor.name, { userKey: actor.userKey, actionId });
  },
  phrases: {
    order: () => say('cards.codeOrder'),
    done: ({ to, channel }) => say('cards.codeSent', { to, channel: channel ?? '' }),
  },
}).from({ channel: 'runtime', to: 'runtime' });

/** The gateway replaces the typed code by a keyed hash, so this tool never receives the code itself. */
export const checkStepUpCode = tool({
  describe:
    'Check the code by which this person proves who they are, as it stands in their message: secret:step-up-code-….',
  hints: [
    'check the card code secret:step-up-code-0a1b2c3d',
    'the code is secret:step-up-code-0a1b2c3d',
    'check my step up code',
    'is my card code right',
    'here is the code for my card',
    'i have the card code',
  ],
  input: z.object({
    code: z
      .string()
      .regex(/^secret:step-up-code-[0-9a-z]{8}$/)
      .describe('What stands in the place of the code')
      .meta({ ask: 'Which code did you get?' }),
  }),
  ...OWN_CARD,
  handles: ['code'],
  run: async ({ code }, { ports, actor, actionId }) =>
    ports.cards.checkCode(code.slice(-MARK_LENGTH), { userKey: actor.userKey, actionId }),
  phrases: {
    order: () => say('cards.checkOrder', { code: HIDDEN }),
    done: (checked) =>
      say('cards.codeChecked', {
        outcome: checked.outcome,
        tries: checked.outcome === 'wrong' ? checked.triesLeft : 0,
      }),
  },
}).from('runtime');

const MARK_LENGTH = 8;
/** Shown in place of the typed code, because its keyed hash means nothing to a reader. */
const HIDDEN = '••••••';

/** The operator who approves this action vouches for the person, or takes over the reported fraud. */
export const escalateToOperator = tool({
  describe:
    'Ask an operator to vouch for this person, who cannot prove who they are, or to look after the fraud that they reported.',
  hints: [
    'let an operator vouch for me',
    'ask an operator about my card',
    'escalate the card fraud to an operator',
    'an operator shall look after my card',
    'i cannot read the card code',
    'get a human for my bank card',
  ],
  input: z.object({
    about: z
      .enum(['identity', 'fraud'])
      .describe('What the operator is asked for')
      .meta({ ask: 'Should an operator vouch for you, or look after fraud?' }),
  }),
  ...OWN_CARD,
  risk: 'dangerous',
  preview: ({ about }) => ({
    what: say('cards.escalateOrder', { about }),
    change: say('cards.escalateChange', { about }),
    reach: say('cards.escalateReach'),
    undo: say('cards.escalateUndo', { about }),
  }),
  run: async ({ about }, { ports, actor, actionId }) => {
    const asker = { userKey: actor.userKey, actionId };
    if (about === 'fraud') return { about, ...(await ports.cards.takeCases(asker)) };
    return { about, ...(await ports.cards.vouch(asker)) };
  },
  phrases: {
    order: ({ about }) => say('cards.escalateOrder', { about }),
    done: ({ about }) => say('cards.escalated', { about }),
  },
}).from('runtime');
