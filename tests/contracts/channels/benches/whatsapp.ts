import { createPublicServer } from '@signalbox/gateway/channels/http/public-server';
import { createWhatsApp } from '@signalbox/gateway/channels/whatsapp/channel';
import { createGraphApiClient } from '@signalbox/gateway/channels/whatsapp/client';
import { mountWebhook, WEBHOOK_PATH } from '@signalbox/gateway/channels/whatsapp/receive/webhook';
import { createMessageWindows } from '@signalbox/gateway/channels/whatsapp/window';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { openPool } from '@signalbox/store/pool';
import { createSimulator, BOT_DEFAULTS } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { inject } from 'vitest';
import { createDatabase } from '../../../support/database.ts';
import { loadArtifact, type BenchKind } from '../bench.ts';

const ADA = '12025550101';
const { phoneNumberId, token, appSecret, verifyToken } = BOT_DEFAULTS;
const CHANGES_NOTHING = 'a message of a business stays as it was sent';

/** WhatsApp, played by the simulator. */
export default {
  channel: 'whatsapp',
  lacks: {
    'answers to presses': 'a press is a message of its own, and nothing spins',
    'removal of buttons': CHANGES_NOTHING,
    changes: CHANGES_NOTHING,
    removal: CHANGES_NOTHING,
    blocks: 'Meta does not say who has blocked a number',
    moves: 'a new number is told by webhook, and not by the answer to a send',
  },
  open: async () => {
    const simulator = await createSimulator();
    const people = createSimulatorClient(simulator.url);
    await people.settings({ retryMs: 10, statuses: false });
    const database = await createDatabase();
    const log = createLog('test', 'silent');
    const pool = openPool(database.url, log, { name: 'test', max: 2, as: 'owner' });
    const redis = openRedis(inject('redisUrl'), log);
    let lastMessage = '';
    const running: { server: Awaited<ReturnType<ReturnType<typeof createPublicServer>['open']>> } = { server: null };

    const openChannel = async () => {
      const port = running.server?.port ?? 0;
      await running.server?.close();
      const count = (): void => undefined;
      const http = createPublicServer({ host: '127.0.0.1', port, log, metrics: { requests: { add: count } } });
      const onUnreadable = async (): Promise<void> => undefined;
      const routes = mountWebhook(http.app(), { appSecret, verifyToken, log, count, onUnreadable });
      const channel = createWhatsApp({
        phoneNumberId,
        template: null,
        client: createGraphApiClient({ root: simulator.graphUrl, token, phoneNumberId }),
        windows: createMessageWindows({ pool, redis, prefix: `${database.url}:`, bot: phoneNumberId, log }),
        routes,
        loadFile: loadArtifact,
        log,
        onUndelivered: count,
      });
      running.server = await http.open();
      return channel;
    };
    const channel = await openChannel();
    await people.subscribe(`http://127.0.0.1:${running.server?.port}${WEBHOOK_PATH}`);
    const sent = async () => (await people.messages(ADA)).filter(({ fromBot }) => fromBot);
    const download = async (id: string): Promise<Buffer> => {
      const headers = { authorization: `Bearer ${token}` };
      // What the Graph API answers about a file.
      const { url } = (await (await fetch(`${simulator.graphUrl}/${id}`, { headers })).json()) as { url: string };
      return Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
    };
    return {
      channel,
      reopen: openChannel,
      userKey: `whatsapp-${ADA}`,
      chatKey: `whatsapp:${ADA}`,
      say: async (text) => {
        lastMessage = await people.say(ADA, text);
      },
      seen: async () => (await sent()).map(({ text }) => text),
      redeliver: () => people.repeatWebhook(),
      edit: async (text) => {
        const message = { type: 'text', text: { body: text } };
        await people.sendOther(ADA, { type: 'edit', content: { original_message_id: lastMessage, message } });
      },
      press: async (label) => {
        const shown = (await sent()).flatMap(({ buttons }) => buttons).filter(({ title }) => title === label);
        if (shown.length !== 1) throw new Error(`not one button says ${label}`);
        await people.press(ADA, label);
      },
      sendFile: async ({ name, bytes }) => {
        await people.sendFile(ADA, { kind: 'document', name, mimeType: 'text/plain', bytes: Buffer.from(bytes) });
      },
      files: async () => {
        const files = (await sent()).filter(({ mediaId }) => mediaId !== null);
        return Promise.all(
          files.map(async ({ fileName, mediaId }) => ({ name: fileName ?? '', bytes: await download(mediaId ?? '') })),
        );
      },
      makeWait: (ms) => people.fault({ what: 'send', code: 130429, retryAfter: ms / 1_000 }),
      loseAnswer: () => people.fault({ what: 'send', dropConnection: 'after' }),
      breakDown: () => people.fault({ what: 'send', code: 131000 }),
      refuse: () => people.fault({ what: 'send', code: 131026 }),
      answerNonsense: () => people.fault({ what: 'send', status: 502, html: '<h1>Bad Gateway</h1>' }),
      disconnect: () => simulator.close(),
      close: async () => {
        await running.server?.close();
        await simulator.close();
        await closeRedis(redis);
        await pool.end();
        await database.drop();
      },
    };
  },
} satisfies BenchKind;
