import type { WebhookEndpoint } from '@signalbox/gateway/channels/telegram/receive/webhook';
import { createWebhookServer } from '@signalbox/gateway/channels/telegram/receive/webhook-server';
import { createLog } from '@signalbox/platform/log';
import type { BenchKind } from '../bench.ts';
import { openTelegram } from './telegram-platform.ts';

const PATH = '/telegram';
const SECRET = 'a-secret-for-the-bench_0123456789';
const DRAIN_MS = 1_000;

/** Telegram that calls us. */
export default {
  channel: 'telegram',
  lacks: {},
  open: async () => {
    const log = createLog('test', 'silent');
    let close = async (): Promise<void> => undefined;
    let [port, last]: [number, unknown] = [0, null];

    /** Listens where it did before, and remembers what comes. */
    const openWebhook = async (): Promise<WebhookEndpoint> => {
      await close();
      const server = createWebhookServer({
        host: '127.0.0.1',
        port,
        path: PATH,
        secret: SECRET,
        log,
        drainMs: DRAIN_MS,
        count: () => undefined,
        onUnreadable: async () => undefined,
      });
      const listening = await server.open();
      ({ port, close } = listening);
      const attach: typeof server.attach = (sink) =>
        server.attach((update) => {
          last = update;
          return sink(update);
        });
      return { url: `http://127.0.0.1:${port}${PATH}`, secret: SECRET, server: { ...server, attach } };
    };
    const bench = await openTelegram(openWebhook);
    return {
      ...bench,
      redeliver: () => bench.bring(last),
      close: async () => {
        await bench.close();
        await close();
      },
    };
  },
} satisfies BenchKind;
