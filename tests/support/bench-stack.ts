import http from 'node:http';
import { loadConfig as loadGatewayConfig } from '@signalbox/gateway/config';
import { createGateway } from '@signalbox/gateway/gateway';
import { closeAll, type Closable, type RegisterClosable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { createScriptedModels, type ModelScript } from './scripted-model.ts';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { loadConfig } from '@signalbox/worker/config';
import { createWiring } from '@signalbox/worker/wire';
import { createWorker } from '@signalbox/worker/worker';
import pg from 'pg';
import { startBenchServers } from './bench-servers.ts';
import { loadTestConfig } from './config.ts';

export interface BenchStack {
  readonly databaseUrl: string;
  /** Sends a message and answers the milliseconds until its sendMessage reached the simulator. */
  roundTrip(): Promise<number>;
  close(): Promise<void>;
}

/** The product in this process over its own embedded servers, with their normal settings, durable commits included. */
export async function openBenchStack(dir: string, script: ModelScript): Promise<BenchStack> {
  const log = createLog('bench', loadTestConfig().logLevel);
  const parts: Closable[] = [];
  const own: RegisterClosable = (part) => {
    parts.push(part);
    return part;
  };
  const simulator = own(await createSimulator({}));
  const servers = await startBenchServers(dir, simulator.url);
  own({ close: servers.stop });
  const { postgres } = servers;
  const db = new pg.Client({ connectionString: postgres.url });
  await db.connect();
  await db.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`);
  await db.end();
  const fast = { TELEGRAM_CHAT_SENDS_PER_SECOND: '1000', INBOUND_BURST: '10000' };
  await createGateway(own, loadGatewayConfig(servers.env('gateway', fast)), log);
  const config = loadConfig(servers.env('worker', { WORKER_NAME: 'bench' }));
  await createWorker(own, config, log, {
    ...createWiring(config, log),
    models: () => Promise.resolve(createScriptedModels(script)),
  });

  const messages = await watchEvents(simulator.url);
  own(messages);
  let seen = 0;
  return {
    databaseUrl: postgres.url,
    roundTrip: async () => {
      const answered = messages.nextAnswer();
      const startedAt = performance.timeOrigin + performance.now();
      await postJson(`${simulator.url}/api/messages`, { from: 1001, text: 'list the projects' });
      await Promise.race([answered, lateAfter(10_000)]);
      const calls = (await getJson(`${simulator.url}/api/calls?after=${seen}`)) as {
        seq: number;
        method: string;
        at: number;
      }[]; // the simulator's contract
      seen = calls.at(-1)?.seq ?? seen;
      const sent = calls.find((call) => call.method === 'sendMessage');
      return (sent?.at ?? Number.NaN) - startedAt;
    },
    close: async () => void (await closeAll(parts, log)),
  };
}

/** Plain node:http on one connection each: a client that costs more than what it measures would measure itself. */
function request(url: string, method: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = http.request(url, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const agent = new http.Agent({ keepAlive: true });
const postJson = (url: string, body: unknown): Promise<string> => request(url, 'POST', JSON.stringify(body));
const getJson = async (url: string): Promise<unknown> => JSON.parse(await request(url, 'GET'));

/** Follows the simulator's event stream: polling for the answer would keep the measured process busy. */
async function watchEvents(url: string): Promise<Closable & { nextAnswer(): Promise<void> }> {
  let waiting: (() => void) | undefined;
  const outgoing = http.get(`${url}/api/events`, (response) => {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      if (/"isBot":\s*true/.test(chunk)) waiting?.();
    });
  });
  outgoing.on('error', () => undefined); // it is cut when the stack closes
  await new Promise((resolve) => outgoing.once('response', resolve));
  return {
    nextAnswer: () => new Promise<void>((resolve) => (waiting = resolve)),
    close: () => Promise.resolve(void outgoing.destroy()),
  };
}

/** A measurement that hangs says so. */
function lateAfter(ms: number): Promise<never> {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`no answer in ${ms} ms; set TEST_LOG=warn to see why`)), ms).unref(),
  );
}
