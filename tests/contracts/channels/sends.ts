import type { SendResult } from '@signalbox/gateway/channels/channel';
import { expect } from 'vitest';
import { until } from '../../support/until.ts';
import type { Feature } from './bench.ts';
import type { Rule, Stage } from './stage.ts';

/** No platform gives a message such an id. */
const NO_MESSAGE = '999999';

/** What becomes of one send while the platform does as it was told. */
const failure = (
  needs: Feature,
  sentence: string,
  prepare: (stage: Stage) => Promise<unknown>,
  expected: Partial<SendResult>,
): Rule => ({
  sentence,
  needs: [needs],
  check: async (stage) => {
    await stage.meet();
    await prepare(stage);
    expect(await stage.attempt('Everything is well.')).toMatchObject(expected);
  },
});

const detail: unknown = expect.any(String);

/** What is promised of sends, and of what they answer when the platform does not do as it is asked. */
export const SENDS: readonly Rule[] = [
  {
    sentence: 'shows a person what is sent, and answers with an id of its own for each message',
    check: async (stage) => {
      await stage.meet();
      const ids = [...(await stage.send({ text: 'One is well.' })), ...(await stage.send({ text: 'Two is well.' }))];
      expect(new Set(ids).size).toBe(2);
      await until(async () => /One is well\.[\s\S]*Two is well\./.test(await stage.shown()));
    },
  },
  {
    sentence: 'puts a line above a message that may have come before',
    check: async (stage) => {
      await stage.meet();
      expect(await stage.attempt('Everything is well.', 'Sent again:')).toMatchObject({ kind: 'sent' });
      await until(async () => /Sent again:[\s\S]*Everything is well\./.test(await stage.shown()));
    },
  },
  {
    sentence: 'changes the message that it is told to change, and no other',
    needs: ['changes'],
    check: async (stage) => {
      const { chatKey } = await stage.meet();
      await stage.send({ text: 'The first.' });
      const [second = ''] = await stage.send({ text: 'The second.' });
      await stage.send({ text: 'The third.' });
      const [part] = stage.encode({ text: 'Changed.' });
      expect(await stage.channel.edit?.(chatKey, second, part)).toMatchObject({ kind: 'sent' });
      const shown = (await stage.bench.seen()).slice(-3);
      expect(shown).toEqual(['The first.', 'Changed.', 'The third.'].map((text) => expect.stringContaining(text)));
    },
  },
  {
    sentence: 'takes the message away that it is told to take away, and no other',
    needs: ['removal'],
    check: async (stage) => {
      const { chatKey } = await stage.meet();
      const [first = ''] = await stage.send({ text: 'The first.' });
      await stage.send({ text: 'The second.' });
      await stage.channel.remove?.(chatKey, first);
      const shown = await stage.shown();
      expect([shown.includes('The first.'), shown.includes('The second.')]).toEqual([false, true]);
    },
  },
  {
    sentence: 'answers with a value when there is nothing to change, to take away, to answer or to draw',
    check: async (stage) => {
      const { chatKey } = await stage.meet();
      const { channel } = stage;
      const [part] = stage.encode({ text: 'new' });
      expect((await channel.edit?.(chatKey, NO_MESSAGE, part))?.kind ?? 'gone').toMatch(/^(?:gone|rejected)$/);
      await channel.remove?.(chatKey, NO_MESSAGE);
      await channel.removeButtons?.(chatKey, NO_MESSAGE);
      await channel.answerPress?.('none', null);
      await channel.typing?.(chatKey);
      const drafted = await channel.drafts?.show(chatKey, { draftId: 1, text: 'I am' });
      expect(drafted?.kind ?? 'unknown').toMatch(/^(?:shown|refused|unknown)$/);
    },
  },
  failure('blocks', 'says that it may not write to a person who has blocked it', (stage) => stage.hook('block')(), {
    kind: 'blocked',
  }),
  {
    sentence: 'says in milliseconds how long the platform asks it to wait',
    needs: ['waits'],
    check: async (stage) => {
      await stage.meet();
      await stage.hook('makeWait')(9_000);
      const sent = await stage.attempt('Everything is well.');
      // Longer is all right: some platforms do not say how long.
      const waitMs = sent.kind === 'wait' ? sent.retryAfterMs : sent;
      expect(waitMs).toBeGreaterThanOrEqual(9_000);
      expect(waitMs).toBeLessThanOrEqual(300_000);
    },
  },
  {
    sentence: 'says where a chat has moved to',
    needs: ['moves'],
    check: async (stage) => {
      await stage.meet();
      const chatKey = await stage.hook('move')();
      expect(await stage.attempt('Everything is well.')).toEqual({ kind: 'moved', chatKey });
    },
  },
  failure(
    'lost answers',
    'leaves open whether a message has arrived whose answer was lost',
    (stage) => stage.hook('loseAnswer')(),
    { kind: 'ambiguous', detail } as Partial<SendResult>,
  ),
  failure('breakdowns', 'calls a platform busy that has a problem of its own', (stage) => stage.hook('breakDown')(), {
    kind: 'busy',
  }),
  failure('refusals', 'gives up a message that the platform refuses', (stage) => stage.hook('refuse')(), {
    kind: 'rejected',
  }),
  {
    sentence: 'answers a send with a value, and not as sent, when it cannot read what comes back',
    needs: ['nonsense'],
    check: async (stage) => {
      await stage.meet();
      await stage.hook('answerNonsense')();
      const sent = await stage.attempt('Everything is well.');
      expect(sent.kind).toMatch(/^(?:busy|ambiguous)$/);
    },
  },
  {
    sentence: 'knows that a message never left when there is no connection',
    needs: ['disconnection'],
    check: async (stage) => {
      await stage.meet();
      await stage.hook('disconnect')();
      // A connection that was open may be written to once more before its end is noticed.
      await until(async () => (await stage.attempt('Everything is well.')).kind === 'unreachable');
    },
  },
];
