import { createTelegram } from '@signalbox/gateway/channels/telegram/channel';
import { createLog } from '@signalbox/platform/log';
import type { Fault } from '@signalbox/telegram-simulator/bot-api/faults';
import { createSimulator, DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { loadArtifact, type BenchKind } from '../bench.ts';

const ADA = 1001;
/** Where a group goes on; the simulator has none that moves. */
const MOVED_TO = -1_001_234;

/** Telegram, played by the simulator. */
export default {
  channel: 'telegram',
  lacks: { repeats: 'what a poll has confirmed never comes again; by webhook, tests/telegram/webhook shows it' },
  open: async () => {
    const simulator = await createSimulator();
    const people = createSimulatorClient(simulator.url);
    let [lastMessage, lastPress] = [0, ''];
    const openChannel = () =>
      createTelegram({
        token: DEFAULT_TOKEN,
        apiRoot: simulator.url,
        log: createLog('test', 'silent'),
        webhook: null,
        loadFile: loadArtifact,
      });
    const sent = async () => (await people.messages(ADA)).filter(({ from, deleted }) => from.isBot && !deleted);
    const failNext = (fault: Omit<Partial<Fault>, 'method'>) => people.fault({ method: '*', ...fault });
    return {
      channel: openChannel(),
      reopen: async () => openChannel(),
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
      disconnect: () => simulator.close(),
      close: () => simulator.close(),
    };
  },
} satisfies BenchKind;
