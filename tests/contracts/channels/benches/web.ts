import { randomBytes } from 'node:crypto';
import { createPublicServer } from '@signalbox/gateway/channels/http/public-server';
import { createWeb } from '@signalbox/gateway/channels/web/channel';
import { WebConfig } from '@signalbox/gateway/channels/web/config';
import { createGatewayMetrics } from '@signalbox/gateway/metrics';
import { closeAll, type Closable, type RegisterClosable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { createMetrics } from '@signalbox/platform/probe';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { createIdentityCode } from '@signalbox/store/people/identities';
import { grantUserRole } from '@signalbox/store/people/users';
import { openPool } from '@signalbox/store/pool';
import { findValue, sql } from '@signalbox/store/sql';
import { inject } from 'vitest';
import { createDatabase } from '../../../support/database.ts';
import { openTcpRelay } from '../../../support/tcp-relay.ts';
import { until } from '../../../support/until.ts';
import { cookieOf, postSession, signedIn } from '../../../web/requests.ts';
import { TestPage } from '../../../web/page.ts';
import { ARTIFACT, type BenchKind } from '../bench.ts';

const ADA = '1001';
const OUR_OWN = 'there is no platform: a send is a row in our own database';

/** The web, with a page of a test in the place of a browser. */
export default {
  channel: 'web',
  lacks: {
    edits: 'what was said on a page stays as it was said',
    'files of people': 'a page sends words alone',
    blocks: 'a page that nobody opens is no refusal',
    waits: OUR_OWN,
    moves: OUR_OWN,
    'lost answers': OUR_OWN,
    breakdowns: OUR_OWN,
    refusals: OUR_OWN,
    nonsense: OUR_OWN,
  },
  open: async () => {
    const database = await createDatabase();
    const relay = await openTcpRelay(Number(new URL(database.url).port));
    const url = new URL(database.url);
    url.port = String(relay.port);
    const log = createLog('test', 'silent');
    const pool = openPool(url.href, log, { name: 'test', max: 4, as: 'owner' });
    const redis = openRedis(inject('redisUrl'), log);
    const prefix = `web${randomBytes(4).toString('hex')}:`;
    const metrics = createGatewayMetrics(createMetrics('test'));
    await grantUserRole(pool, { userKey: ADA, channel: 'telegram', name: 'Ada', role: 'admin' });
    await pool.query(sql`
      insert into artifacts (id, action_id, place, turn_id, thread_id, user_key, name, mime_type, sha256, size_bytes, bytes)
      values (${ARTIFACT.artifactId}, 'a', 0, 't', 't', ${ADA}, ${ARTIFACT.name}, 'text/csv', '', ${ARTIFACT.bytes.length}, ${ARTIFACT.bytes})`);

    const parts: Closable[] = [];
    let port = 0;
    const openChannel = async () => {
      await closeAll(parts.splice(0), log);
      const own: RegisterClosable = (part) => (parts.push(part), part);
      const server = createPublicServer({ host: '127.0.0.1', port, log, metrics });
      // What starts the gateway again has held its port meanwhile.
      const config = WebConfig.parse({ WEB_START_KEY: 'start-of-a-bench'.padEnd(32, '0') });
      const given = { config, pool, redis, redisUrl: inject('redisUrl'), prefix, log, metrics, own };
      const wakeLanes = () => Promise.resolve();
      const channel = await createWeb({ ...given, wakeLanes, http: server.app, httpHost: '127.0.0.1' });
      const listening = await server.open();
      if (listening) port = own(listening).port;
      return channel;
    };
    const channel = await openChannel();
    const address = `http://127.0.0.1:${port}`;
    const answer = await postSession(address, { code: await createIdentityCode(pool, ADA) });
    const cookie = cookieOf(answer);
    let page = await new TestPage({ url: address, cookie }).opened();
    const said: { id: string; text: string }[] = [];
    let last = { id: '', text: '' };

    /** What is stored has come to the page, and what was on its way. */
    const settle = async (): Promise<void> => {
      const newest = await findValue(
        pool,
        0,
      )`select max(seq)::float8 from web_patches where chat_key = ${`web:${ADA}`}`;
      await until(() => page.seq >= newest && (page.frames.length > 0 || said.length > 0));
      const pong = new Promise((resolve) => page.socket.once('pong', resolve));
      page.socket.ping();
      await pong;
    };
    const shown = (): TestPage['shown'] => page.shown;
    return {
      channel,
      userKey: `web-${ADA}`,
      chatKey: `web:${ADA}`,
      reopen: async () => {
        const kept = page;
        const opened = await openChannel();
        page = await new TestPage({ url: address, cookie, after: kept.seq }, kept).opened();
        // Nothing is stored here, so that nothing it said comes back: it says all of it again.
        for (const { id, text } of said) page.say(text, id);
        return opened;
      },
      say: async (text) => {
        last = { id: page.say(text), text };
        said.push(last);
      },
      seen: async () => {
        await settle();
        return shown().map(({ props }) => {
          const { text, receipts = [] } = props as { text: string; receipts?: { what: string; note: string }[] };
          return [text, ...receipts.map(({ what, note }) => `${what} ${note}`)].join('\n');
        });
      },
      redeliver: async () => void page.say(last.text, last.id),
      press: async (label) => {
        await settle();
        page.press(label);
      },
      isAnswered: async () => {
        await settle();
        return page.components.has('notice');
      },
      files: async () => {
        await settle();
        const files = shown().flatMap(({ props }) => (props['files'] ?? []) as { artifactId: string; name: string }[]);
        return Promise.all(
          files.map(async ({ artifactId, name }) => {
            const response = await fetch(`${address}/files/${artifactId}`, { headers: signedIn(cookie) });
            return { name, bytes: Buffer.from(await response.arrayBuffer()) };
          }),
        );
      },
      disconnect: async () => relay.cut(),
      close: async () => {
        page.socket.terminate();
        relay.mend();
        await closeAll(parts, log);
        await closeRedis(redis);
        await pool.end();
        await relay.close();
        await database.drop();
      },
    };
  },
} satisfies BenchKind;
