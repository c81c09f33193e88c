import { createTelegram } from '@signalbox/gateway/channels/telegram/channel';
import type { WebhookEndpoint } from '@signalbox/gateway/channels/telegram/receive/webhook';
import { createLog } from '@signalbox/platform/log';
import type { Fault } from '@signalbox/telegram-simulator/bot-api/faults';
import { createSimulator, DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { loadArtifact, type ChannelBench } from '../bench.ts';

const ADA = 1001;
/** Where a group goes on; the simulator has none that moves. */
const MOVED_TO = -1_001_234;

/** A bench of Telegram, whose platform can be told what to bring. */
export interface TelegramBench extends ChannelBench {
  /** Brings an update as it is, after all that waits. */
  bring(update: unknown): Promise<void>;
}

/** Telegram, played by the simulator. `openWebhook` opens what it calls, each time that the channel is opened; null: it is polled. */
export async function openTelegram(openWebhook: () => Promise<WebhookEndpoint | null>): Promise<TelegramBench> {
  const simulator = await createSimulator();
  const people = createSimulatorClient(simulator.url);
  let [lastMessage, lastPress] = [0, ''];
  const openChannel = async () =>
    createTelegram({
      token: DEFAULT_TOKEN,
      apiRoot: simulator.url,
      log: createLog('test', 'silent'),
      webhook: await openWebhook(),
      loadFile: loadArtifact,
    });
  const sent = async () => (await people.messages(ADA)).filter(({ from, deleted }) => from.isBot && !deleted);
  const failNext = (fault: Omit<Partial<Fault>, 'method'>) => people.fault({ method: '*', chat: ADA, ...fault });
  return {
    channel: await openChannel(),
    reopen: openChannel,
    userKey: `${ADA}`,
    chatKey: `telegram:${ADA}`,
    say: async (text) => {
      ({ messageId: lastMessage } = await people.say(ADA, text, { raw: true }));
    },
    seen: async () => (await sent()).map(({ text }) => text),
    edit: async (text) => void (await people.act('/api/edits', { from: ADA, messageId: lastMessage, text })),
    press: async (label) => {
      const shown = (await sent()).flatMap(({ buttons }) => buttons ?? []).flat();
      if (shown.filter(({ text }) => text === label).length !== 1) throw new Error(`not one button says ${label}`);
      ({ callbackQueryId: lastPress } = await people.click(ADA, label));
    },
    isAnswered: async () => (await people.clickAnswer(lastPress)).answered,
    sendFile: async ({ name, bytes }) => {
      await people.say(ADA, '', { files: [{ name, data: Buffer.from(bytes).toString('base64') }] });
    },
    files: async () => {
      const files = (await sent()).flatMap(({ file }) => file ?? []);
      return Promise.all(
        files.map(async ({ name, url }) => ({
          name: name ?? '',
          bytes: Buffer.from(await (await fetch(`${simulator.url}${url}`)).arrayBuffer()),
        })),
      );
    },
    block: async () => void (await people.act('/api/block', { person: ADA, blocked: true })),
    makeWait: (ms) => failNext({ error: { name: 'tooManyRequests', retryAfter: ms / 1_000 } }),
    move: async () => {
      await failNext({ error: { name: 'migrated', migrateToChatId: MOVED_TO } });
      return `telegram:${MOVED_TO}`;
    },
    loseAnswer: () => failNext({ dropConnection: 'after' }),
    breakDown: () => failNext({ error: 'restart' }),
    refuse: () => failNext({ error: 'tooLong' }),
    answerNonsense: () => failNext({ error: 'badGateway' }),
    bring: async (update) => void (await people.act('/api/updates', { update })),
    disconnect: () => simulator.close(),
    close: () => simulator.close(),
  };
}
