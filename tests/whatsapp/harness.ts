import { randomBytes } from 'node:crypto';
import { loadConfig } from '@signalbox/gateway/config';
import { createGateway, type Gateway } from '@signalbox/gateway/gateway';
import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { grantUserRole } from '@signalbox/store/people/users';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createSimulator, type Simulator } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { inject } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { openWiring } from '../support/wiring.ts';
import { whatsAppVariables } from './variables.ts';

export const ADA = '12025550101';
export const ADA_CHAT = `whatsapp:${ADA}`;

export interface StartedGateway extends Closable {
  readonly gateway: Gateway;
  /** Where Meta calls it. */
  readonly webhook: string;
  /** Everything it logged. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export interface WhatsAppHarness extends Closable {
  readonly pool: Pool;
  readonly people: SimulatorClient;
  readonly simulator: Simulator;
  startGateway(settings?: Readonly<Record<string, string>>): Promise<StartedGateway>;
  /** Puts messages for Ada into the outbox and wakes her chat. Answers their rows. */
  say(
    bodies: readonly (Partial<OutboundBody> & { readonly text: string })[],
    slot?: string,
  ): Promise<readonly string[]>;
  /** What the bot sent Ada, oldest first. */
  seen(): Promise<readonly string[]>;
  /** What became of a row. */
  row(id: string): Promise<{ readonly status: string; readonly receipt: { readonly messageIds: readonly string[] } }>;
  /** What Ada wrote, as it is kept. */
  inbox(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A database, a key prefix and a simulated WhatsApp of one test file's own. Ada is a developer. */
export async function openWhatsApp(): Promise<WhatsAppHarness> {
  const database = await createDatabase();
  const simulator = await createSimulator();
  const people = createSimulatorClient(simulator.url);
  const prefix = `wa${randomBytes(4).toString('hex')}:`;
  const redisUrl = inject('redisUrl');
  const quiet = createLog('test', 'silent');
  const pool = openPool(database.url, quiet, { name: 'test', max: 5, as: 'owner' });
  const redis = openRedis(redisUrl, quiet);
  const wiring = await openWiring({ databaseUrl: database.url, redisUrl, prefix });
  const publisher = createPublisher({ redis, prefix, partitions: 1 });
  const gateways: StartedGateway[] = [];
  await grantUserRole(pool, { userKey: `whatsapp-${ADA}`, channel: 'whatsapp', name: 'Ada', role: 'developer' });
  let keys = 0;

  const startGateway = async (settings: Readonly<Record<string, string>> = {}): Promise<StartedGateway> => {
    const gatewaySettings = { GATEWAY_CHANNELS: 'whatsapp', GATEWAY_NAME: `gateway-${gateways.length + 1}` };
    const config = loadConfig(
      wiring.env('gateway', { ...gatewaySettings, ...whatsAppVariables(simulator), ...settings }),
    );
    const lines: Record<string, unknown>[] = [];
    // Each line of a log is an object.
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const parts: Closable[] = [];
    const own = <T extends Closable>(part: T): T => (parts.push(part), part);
    const log = createLog('gateway', 'debug', { write });
    const gateway = await createGateway(own, config, log);
    let closed: Promise<unknown> | undefined;
    const close = async (): Promise<void> => void (await (closed ??= closeAll(parts, quiet)));
    const webhook = `http://127.0.0.1:${gateway.httpPort}/webhook/whatsapp`;
    const started = { gateway, webhook, lines, close };
    gateways.push(started);
    return started;
  };

  return {
    pool,
    people,
    simulator,
    startGateway,
    say: async (bodies, slot) => {
      const rows = await putOutbox(
        pool,
        bodies.map((body) => ({
          key: `test:${(keys += 1)}`,
          chatKey: ADA_CHAT,
          userKey: null,
          threadId: null,
          turnId: null,
          traceId: `trc_test${keys}`,
          priority: 5,
          slot: slot ?? null,
          body: { buttons: [], ...body },
        })),
      );
      await publisher.publish(OUTBOUND_TOPIC, [{ kind: 'send', chatKey: ADA_CHAT, traceId: 'trc_test' }]);
      return rows.map(({ id }) => String(id));
    },
    seen: async () => (await people.messages(ADA)).filter(({ fromBot }) => fromBot).map(({ text }) => text),
    row: async (id) => (await pool.query('select status, receipt from outbox where id = $1', [id])).rows[0],
    inbox: async () =>
      (await pool.query('select envelope from inbox where chat_key = $1 order by id', [ADA_CHAT])).rows.map(
        ({ envelope }) => envelope,
      ),
    close: async () => {
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await simulator.close();
      const left = await redis.keys(`${prefix}*`);
      if (left.length > 0) await redis.del(left);
      await wiring.close();
      await closeRedis(redis);
      await pool.end();
      await database.drop();
    },
  };
}
