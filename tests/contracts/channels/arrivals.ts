import { getChannel, findUserChannel, toPrivateChat } from '@signalbox/contracts/conversation/chat-key';
import type { IncomingUpdate } from '@signalbox/gateway/channels/channel';
import { expect } from 'vitest';
import { until } from '../../support/until.ts';
import { collectTexts, type Rule } from './stage.ts';

const DAY_MS = 24 * 60 * 60_000;

/** What is promised of updates that come in. */
export const ARRIVALS: readonly Rule[] = [
  {
    sentence: 'puts its name before the keys of its chats and people, so that a person leads to their private chat',
    check: async (stage) => {
      const { channel, bench } = stage;
      const { chatKey, userKey } = bench;
      const stored = stage.listen();
      await stage.bench.say('first');
      const [first] = await until(() => collectTexts(stored).length > 0 && collectTexts(stored));
      expect(first).toMatchObject({ chatKey, userKey });
      expect([getChannel(chatKey), findUserChannel(userKey)]).toEqual([channel.name, channel.name]);
      expect(chatKey.split('/')[0]).toBe(toPrivateChat(userKey));
      expect(channel.throttleOf(chatKey)).toBe('private');
      expect(channel.bot).not.toBe('');
    },
  },
  {
    sentence: 'hands over what a person writes once, in the order in which it was written',
    check: async (stage) => {
      const before = ['one', 'two', 'three', 'four', 'five'];
      for (const text of before) await stage.bench.say(text);
      const stored = stage.listen();
      await until(() => collectTexts(stored).length >= before.length);
      for (const text of ['six', 'seven']) await stage.bench.say(text);
      await until(() => collectTexts(stored).some(({ text }) => text === 'seven'));
      expect(collectTexts(stored).map(({ text }) => text)).toEqual([...before, 'six', 'seven']);
    },
  },
  {
    sentence: 'gives each update and each message an id of its own',
    check: async (stage) => {
      const stored = stage.listen();
      await stage.bench.say('first');
      await stage.bench.say('second');
      await until(() => collectTexts(stored).length === 2);
      const texts = collectTexts(stored);
      expect(new Set(texts.map(({ updateId }) => updateId)).size).toBe(2);
      expect(new Set(texts.map(({ messageId }) => messageId)).size).toBe(2);
    },
  },
  {
    sentence: 'says when a person wrote, and that it was meant for us',
    check: async (stage) => {
      const stored = stage.listen();
      await stage.bench.say('first');
      const [first] = await until(() => collectTexts(stored).length > 0 && collectTexts(stored));
      expect(first).toMatchObject({
        chatKind: 'private',
        named: true,
        whisper: false,
        name: expect.stringMatching(/./),
      });
      expect(Math.abs(Date.parse(first?.at ?? '') - Date.now())).toBeLessThan(DAY_MS);
    },
  },
  {
    sentence: 'hands over words as they were written',
    check: async (stage) => {
      const text = 'a *b* _c_ `d` <e> &amp; {f} /g @h 👩‍👩‍👧 שלום é';
      const stored = stage.listen();
      await stage.bench.say(text);
      await until(() => collectTexts(stored).length > 0);
      expect(collectTexts(stored)[0]?.text).toBe(text);
    },
  },
  {
    sentence: 'hands over nothing that Postgres cannot store',
    check: async (stage) => {
      const stored = stage.listen();
      await stage.bench.say('half \ud83d of a \u0000 character');
      await until(() => collectTexts(stored).length > 0);
      const text = collectTexts(stored)[0]?.text ?? '';
      expect(text).toMatch(/^half .*character$/u);
      expect([text.isWellFormed(), text.includes('\u0000')]).toEqual([true, false]);
    },
  },
  {
    sentence: 'brings an update again that was not stored, under the same id and before what came after it',
    check: async (stage) => {
      const refused: IncomingUpdate[] = [];
      let isOpen = false;
      const stored = stage.listen((update) => {
        if (!isOpen) refused.push(update);
        return isOpen;
      });
      await stage.bench.say('keep me');
      await until(() => collectTexts(refused).length > 0);
      await stage.bench.say('later');
      isOpen = true;
      await until(() => collectTexts(stored).length === 2);
      expect(collectTexts(stored).map(({ text }) => text)).toEqual(['keep me', 'later']);
      const tries = collectTexts(refused).filter(({ text }) => text === 'keep me');
      expect(new Set(tries.map(({ updateId }) => updateId))).toEqual(new Set([collectTexts(stored)[0]?.updateId]));
    },
  },
  {
    sentence: 'gives an update that the platform brings twice the same id both times',
    needs: ['repeats'],
    check: async (stage) => {
      const { stored } = await stage.meet();
      await stage.hook('redeliver')();
      await until(() => collectTexts(stored).length === 2);
      const [first, second] = collectTexts(stored);
      expect(second).toMatchObject({ updateId: first?.updateId, text: 'hello' });
    },
  },
  {
    sentence: 'hands over the new words of a message that a person changed',
    needs: ['edits'],
    check: async (stage) => {
      const { stored } = await stage.meet();
      await stage.hook('edit')('hello again');
      const edit = await until(() => stored.find(({ kind }) => kind === 'edit'));
      const [written] = collectTexts(stored);
      expect(edit).toMatchObject({ text: 'hello again', messageId: written?.messageId, chatKey: written?.chatKey });
      expect(edit.updateId).not.toBe(written?.updateId);
    },
  },
];
