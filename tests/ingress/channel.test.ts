import { randomBytes } from 'node:crypto';
import { createPublicServer } from '@signalbox/gateway/channels/http/public-server';
import { registerSources } from '@signalbox/gateway/channels/ingress/accounts';
import { createIngress } from '@signalbox/gateway/channels/ingress/channel';
import type { Source } from '@signalbox/gateway/channels/ingress/sources';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { openPool } from '@signalbox/store/pool';
import { inject } from 'vitest';
import { describeChannel } from '../contracts/channels.ts';
import { createDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { post, SECRET } from './program.ts';
import { openReceiver } from './receiver.ts';

// The person at the other end is a program: it writes over HTTP, repeats what was not taken, and reads what is pushed to it.
describeChannel('ingress', async () => {
  const log = createLog('test', 'silent');
  const database = await createDatabase();
  const pool = openPool(database.url, log, { name: 'test', max: 4, as: 'gateway' });
  const redis = openRedis(inject('redisUrl'), log);
  const receiver = await openReceiver(SECRET);
  const account = { kind: 'service', name: 'CI', role: 'developer' } as const;
  const source: Source = { name: 'ci', secrets: [SECRET], account, callbacks: [receiver.url] };
  await registerSources(pool, [source], log);
  const prefix = `in${randomBytes(4).toString('hex')}:`;
  const channel = createIngress({ sources: [source], pool, redis, prefix, log, burst: 100 });
  const server = createPublicServer({
    host: '127.0.0.1',
    port: 0,
    log,
    metrics: { requests: { add: () => undefined } },
  });
  await channel.register(server.app());
  const listening = await server.open();
  const program = { url: `http://127.0.0.1:${listening?.port}`, source: 'ci', secret: SECRET };
  return {
    channel,
    userKey: 'ingress-ci',
    chatKey: 'ingress:ci/builds',
    say: async (text) => {
      const event = {
        text,
        conversation: 'builds',
        id: `${text}-${randomBytes(4).toString('hex')}`.replaceAll(' ', '-'),
      };
      await until(async () => (await post(program, event, { key: null })).status === 200);
    },
    seen: async () => receiver.taken().map(({ message: { notice = '', text } }) => `${notice}\n${text}`),
    close: async () => {
      await listening?.close();
      await channel.close();
      await receiver.close();
      await closeRedis(redis);
      await pool.end();
      await database.drop();
    },
  };
});
