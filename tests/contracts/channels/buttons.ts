import { expect } from 'vitest';
import { until } from '../../support/until.ts';
import { pressesOf, collectTexts, type Rule } from './stage.ts';

const BUTTONS = ['Keep', 'Change', 'Drop'].map((label) => ({ label, value: label.toLowerCase() }));

/** What is promised of buttons. */
export const BUTTON_RULES: readonly Rule[] = [
  {
    sentence: 'names the row and the place of a button that is pressed',
    needs: ['buttons'],
    check: async (stage) => {
      const { stored } = await stage.meet();
      await stage.send({ text: 'And now?', buttons: BUTTONS });
      await stage.hook('press')('Change');
      await until(() => pressesOf(stored).length > 0);
      expect(pressesOf(stored)[0]).toMatchObject({ outboxId: stage.row, index: 1, userKey: stage.bench.userKey });
    },
  },
  {
    sentence: 'hands over each press once, under an id of its own',
    needs: ['buttons'],
    check: async (stage) => {
      const { stored } = await stage.meet();
      await stage.send({ text: 'And now?', buttons: BUTTONS });
      for (const { label } of BUTTONS) await stage.hook('press')(label);
      await stage.bench.say('that was all');
      await until(() => collectTexts(stored).length === 2 && pressesOf(stored).length >= BUTTONS.length);
      const presses = pressesOf(stored);
      expect(presses).toHaveLength(BUTTONS.length);
      expect(new Set(presses.map(({ updateId }) => updateId)).size).toBe(BUTTONS.length);
    },
  },
  {
    sentence: 'stops the spinning of a button whose press is answered',
    needs: ['buttons', 'answers to presses'],
    check: async (stage) => {
      const { stored } = await stage.meet();
      await stage.send({ text: 'And now?', buttons: BUTTONS });
      await stage.hook('press')('Drop');
      await until(() => pressesOf(stored).length > 0);
      expect(await stage.hook('isAnswered')()).toBe(false);
      await stage.channel.answerPress?.(pressesOf(stored)[0]?.pressId ?? '', 'Dropped.');
      expect(await stage.hook('isAnswered')()).toBe(true);
    },
  },
  {
    sentence: 'shows the buttons of a long message once',
    needs: ['buttons'],
    check: async (stage) => {
      const { stored } = await stage.meet();
      await stage.send({ text: 'A sentence that fills a message. '.repeat(600), buttons: BUTTONS });
      await stage.hook('press')('Keep'); // rejects unless there is exactly one
      await until(() => pressesOf(stored).length > 0);
    },
  },
  {
    sentence: 'takes the buttons of a message away, and leaves its words',
    needs: ['buttons', 'removal of buttons'],
    check: async (stage) => {
      const { chatKey } = await stage.meet();
      const [id = ''] = await stage.send({ text: 'And now?', buttons: BUTTONS });
      await stage.channel.removeButtons?.(chatKey, id);
      await expect(stage.hook('press')('Keep')).rejects.toThrow();
      expect(await stage.shown()).toContain('And now?');
    },
  },
];
