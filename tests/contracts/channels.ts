import { channelOf } from '@signalbox/contracts/conversation/topics';
import type { Channel, Incoming, Listening } from '@signalbox/gateway/channels/channel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';

/** A channel, and the person at its other end. */
export interface ChannelBench {
  readonly channel: Channel;
  /** The person's private chat with us. */
  readonly chatKey: string;
  /** The key of a person who has written to us; `say` speaks as them. */
  readonly userKey: string;
  say(text: string): Promise<void>;
  /** What this person has been shown, oldest first. */
  seen(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What every channel promises, whatever it speaks with. */
export function describeChannel(name: string, open: () => Promise<ChannelBench>): void {
  describe(`the channel ${name}`, () => {
    let bench: ChannelBench;
    let listening: Listening | null;
    beforeEach(async () => {
      listening = null;
      bench = await open();
    });
    afterEach(async () => {
      await listening?.close();
      await bench.close();
    });

    /** Listens; what `admit` refuses has to come again. */
    const listen = (admit: (update: Incoming) => boolean = () => true): Incoming[] => {
      const admitted: Incoming[] = [];
      listening = bench.channel.listen(async (updates) => {
        if (!updates.every(admit)) throw new Error('not stored');
        admitted.push(...updates);
      });
      return admitted;
    };
    const texts = (updates: readonly Incoming[]) => updates.filter((update) => update.kind === 'text');
    const met = async (): Promise<string> => {
      const admitted = listen();
      await bench.say('hello');
      await until(async () => texts(admitted).length > 0);
      return bench.chatKey;
    };
    const encode = (chatKey: string, text: string) =>
      bench.channel.encode({ text, buttons: [] }, { chatKey, outboxId: 1, simpleFrom: null });

    it('owns its chats and no others, and puts its name before their keys', () => {
      const { channel, chatKey } = bench;
      expect(chatKey.startsWith(`${channel.name}:`)).toBe(true);
      expect(channelOf(chatKey)).toBe(channel.name);
      expect(channel.bot).not.toBe('');
      expect(channel.throttleOf(chatKey)).toBe('private');
    });

    it('hands over what a person writes, once, under ids of its own', async () => {
      const admitted = listen();
      await bench.say('first');
      await bench.say('second');
      await until(async () => texts(admitted).length === 2);
      const [first, second] = texts(admitted);
      expect([first?.text, second?.text]).toEqual(['first', 'second']);
      expect(first?.updateId).not.toBe(second?.updateId);
      expect(first).toMatchObject({ userKey: bench.userKey, chatKey: bench.chatKey });
      expect(Number.isNaN(Date.parse(first?.at ?? ''))).toBe(false);
    });

    it('brings an update again that was not stored, under the same id', async () => {
      const refused: Incoming[] = [];
      const admitted = listen((update) => update.kind !== 'text' || refused.push(update) > 1);
      await bench.say('keep me');
      await until(async () => texts(admitted).length === 1);
      expect(texts(refused).map(({ updateId }) => updateId)).toEqual(
        texts(refused).map(() => texts(admitted)[0]?.updateId),
      );
      expect(texts(refused).length).toBeGreaterThan(1);
    });

    it('shows a person what is sent, with the line above it', async () => {
      const chatKey = await met();
      const [part, ...rest] = encode(chatKey, 'Everything is well.');
      expect(rest).toEqual([]);
      const sent = await bench.channel.send(chatKey, part ?? {}, 'Sent again:');
      expect(sent).toMatchObject({ kind: 'sent', messageId: expect.stringMatching(/./) });
      await until(async () => (await bench.seen()).join('\n').includes('Everything is well.'));
      expect((await bench.seen()).join('\n')).toMatch(/Sent again:[\s\S]*Everything is well\./);
    });

    it('makes the same parts of the same row', async () => {
      const { chatKey } = bench;
      const long = 'A sentence that fills a message. '.repeat(500);
      expect(encode(chatKey, long)).toEqual(encode(chatKey, long));
      expect(encode(chatKey, long).length).toBeGreaterThan(0);
    });

    it('answers with a value when there is nothing to edit, to remove or to draw', async () => {
      const chatKey = await met();
      const { channel } = bench;
      const [part = {}] = encode(chatKey, 'new');
      expect((await channel.edit?.(chatKey, '999999', part))?.kind ?? 'gone').toMatch(/^(?:gone|rejected)$/);
      await channel.remove?.(chatKey, '999999');
      await channel.removeButtons?.(chatKey, '999999');
      await channel.answerPress?.('none', null);
      await channel.typing?.(chatKey);
      expect((await channel.drafts?.show(chatKey, { draftId: 1, text: 'I am' }))?.kind ?? 'unknown').toMatch(
        /^(?:shown|refused|unknown)$/,
      );
    });

    it('has no problem once it listens, and ends when it is closed', async () => {
      listen();
      await until(() => listening?.problem() === null);
      await listening?.close();
      await expect(listening?.ended).resolves.toBeUndefined();
    });
  });
}
