import { randomBytes } from 'node:crypto';
import { loadConfig as loadGatewayConfig } from '@signalbox/gateway/config';
import { createGateway } from '@signalbox/gateway/gateway';
import { openPool, type Pool } from '@signalbox/store/pool';
import { grantUserRole } from '@signalbox/store/people/users';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from '@signalbox/worker/config';
import { createWiring } from '@signalbox/worker/wire';
import { createWorker } from '@signalbox/worker/worker';
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { createDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { eventually } from '../../support/until.ts';
import { openWiring } from '../../support/wiring.ts';

/*
 * A Bot API server that somebody else wrote. It answers polls at once, knows nine methods and none of Telegram's error codes:
 * what it cannot do must not keep the text from arriving.
 */

const TOKEN = '666:foreign';
const PERSON = 4001;

const log = createLog('test', loadTestConfig().logLevel);
let server: TelegramServer;
let pool: Pool;
let parts: Closable[];

beforeEach(async () => {
  parts = [];
  const own = <Part extends Closable>(part: Part): Part => {
    parts.push(part);
    return part;
  };
  const database = await createDatabase();
  own({ close: () => database.drop() });
  server = new TelegramServer({ port: await freePort(), host: '127.0.0.1' });
  await server.start();
  own({ close: async () => void (await server.stop()) });
  pool = openPool(database.url, log, { name: 'test', max: 4, as: 'owner' });
  own({ close: () => pool.end() });
  await grantUserRole(pool, { userKey: String(PERSON), channel: 'telegram', name: 'Ada', role: 'developer' });
  const wiring = own(
    await openWiring({
      databaseUrl: database.url,
      prefix: `p${randomBytes(4).toString('hex')}:`,
      simulatorUrl: server.config.apiURL,
      env: { GATEWAY_CHANNELS: 'telegram', TELEGRAM_BOT_TOKEN: TOKEN },
    }),
  );
  await createGateway(own, loadGatewayConfig(wiring.env('gateway')), log);
  const config = loadConfig(wiring.env('worker', { WORKER_NAME: 'worker-1' }));
  await createWorker(own, config, log, createWiring(config, log));
});
afterEach(async () => void (await closeAll(parts, log)));

test('a conversation works with the independent Bot API server telegram-test-api', async () => {
  const person = server.getClient(TOKEN, { userId: PERSON, chatId: PERSON, firstName: 'Ada' });
  await person.sendMessage(person.makeMessage('create a project called tea'));
  const question = await eventually(
    () => saidTo(PERSON),
    (said) => said.length === 1,
  );
  expect(question[0]).toMatch(/\?/);
  await person.sendMessage(person.makeMessage('an online shop for tea'));
  const said = await eventually(
    () => saidTo(PERSON),
    (all) => all.length > 1,
  );
  expect(said.at(-1)).toMatch(/tea/);
  const { rows } = await pool.query(`select name, description from projects`);
  expect(rows).toEqual([{ name: 'tea', description: expect.stringContaining('online shop') as string }]);
  const open = await pool.query(`select 1 from inbox where outcome is null`);
  expect(open.rowCount).toBe(0);
});

/** What the bot sent to a chat so far, as the foreign server stored it. */
async function saidTo(chatId: number): Promise<readonly string[]> {
  return server.storage.botMessages
    .filter(({ message }) => Number(message.chat_id) === chatId)
    .map(({ message }) => message.text);
}
