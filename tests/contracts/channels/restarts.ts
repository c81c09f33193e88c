import { expect } from 'vitest';
import type { IncomingUpdate } from '@signalbox/gateway/channels/channel';
import { toChannelLink, createLinkWithCode } from '@signalbox/gateway/channels/links';
import { until } from '../../support/until.ts';
import { pressesOf, collectTexts, type Rule } from './stage.ts';

/** A close that takes longer is cut off when the gateway stops. */
const CLOSE_MS = 10_000;

/** What is promised of listening: that it begins, ends, and begins again. */
export const RESTARTS: readonly Rule[] = [
  {
    sentence: 'has no problem once updates come in',
    check: async (stage) => {
      await stage.meet();
      await until(() => stage.listening.problem() === null);
    },
  },
  {
    sentence: 'ends in time when it is closed, even while nothing can be stored',
    check: async (stage) => {
      const refused: IncomingUpdate[] = [];
      stage.listen((update) => {
        refused.push(update);
        return false;
      });
      await stage.bench.say('never stored');
      await until(() => collectTexts(refused).length > 0);
      let isClosed = false;
      void stage.stopListening().then(() => (isClosed = true));
      await until(() => isClosed, CLOSE_MS);
      await expect(stage.listening.ended).resolves.toBeUndefined();
    },
  },
  {
    sentence: 'hands over nothing once it is closed, and all that came meanwhile when it listens again',
    check: async (stage) => {
      const { stored } = await stage.meet();
      await stage.stopListening();
      await stage.bench.say('meanwhile');
      const again = stage.listen();
      await until(() => collectTexts(again).some(({ text }) => text === 'meanwhile'));
      expect(collectTexts(stored).map(({ text }) => text)).toEqual(['hello']);
    },
  },
  {
    sentence: 'brings after a restart what was written before it',
    needs: ['restarts'],
    check: async (stage) => {
      await stage.meet();
      await stage.stopListening();
      await stage.bench.say('meanwhile');
      await stage.restart();
      const again = stage.listen();
      await until(() => collectTexts(again).some(({ text }) => text === 'meanwhile'));
    },
  },
  {
    sentence: 'brings after a restart what was not stored before it, under the id that it had',
    needs: ['restarts'],
    check: async (stage) => {
      const refused: IncomingUpdate[] = [];
      stage.listen((update) => {
        refused.push(update);
        void stage.stopListening(); // at once: an acknowledgement that is on its way would go with the next request
        return false;
      });
      await stage.bench.say('keep me');
      await until(() => collectTexts(refused).length > 0);
      await stage.restart();
      const stored = stage.listen();
      await until(() => collectTexts(stored).length > 0);
      expect(collectTexts(refused).map(({ updateId }) => updateId)).toContain(collectTexts(stored)[0]?.updateId);
    },
  },
  {
    sentence: 'knows after a restart the buttons that were shown before it',
    needs: ['restarts', 'buttons'],
    check: async (stage) => {
      await stage.meet();
      await stage.send({ buttons: [{ label: 'Later', value: 'later' }] });
      await stage.restart();
      const stored = stage.listen();
      await stage.hook('press')('Later');
      await until(() => pressesOf(stored).length > 0);
      expect(pressesOf(stored)[0]?.outboxId).toBe(stage.row);
    },
  },
  {
    sentence: 'makes links that open it and carry a code',
    needs: ['links'],
    check: async (stage) => {
      stage.listen();
      const link = await until(() => stage.channel.link?.(null));
      expect(URL.canParse(link)).toBe(true);
      expect(link).not.toContain('k7d2m');
      expect(stage.channel.link?.('k7d2m')).toContain('k7d2m');
      const kept = await until(() => toChannelLink(stage.channel));
      expect(createLinkWithCode(kept, 'K7D2-M0PQ')).toBe(stage.channel.link?.('K7D2-M0PQ'));
    },
  },
];
