import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach } from 'vitest';
import { createSimulator, BOT_DEFAULTS, type Simulator } from './server.ts';
import { createSimulatorClient, type SimulatorClient } from './simulator-client.ts';

export const ADA = '12025550101';

/** A webhook request that the bot received. */
export interface Received {
  readonly text: string;
  readonly signature: string | undefined;
}

/** A bot's webhook endpoint: answers the challenge, then responds as `answer` says. */
export interface Bot {
  readonly url: string;
  readonly received: Received[];
  answer: (received: Received) => number;
}

export let simulator: Simulator;
export let client: SimulatorClient;
export let bot: Bot;

/** Creates a simulator and a bot for each test. */
export function useSimulator(): void {
  let server: Server;
  beforeEach(async () => {
    simulator = await createSimulator();
    client = createSimulatorClient(simulator.url);
    ({ bot, server } = await startBot());
    await client.subscribe(bot.url);
  });
  afterEach(async () => {
    await simulator.close();
    server.closeAllConnections();
    server.close();
  });
}

/** Calls the Graph API as a bot does. */
export async function callGraph(
  path: string,
  body?: unknown,
  token: string = BOT_DEFAULTS.token,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${simulator.graphUrl}/${path}`, init);
  // Graph API responses are objects.
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Posts a message, to Ada by default. */
export const send = (content: Readonly<Record<string, unknown>>) =>
  callGraph(`${BOT_DEFAULTS.phoneNumberId}/messages`, {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: ADA,
    ...content,
  });

export const text = (body: string) => ({ type: 'text', text: { body } });

async function startBot(): Promise<{ bot: Bot; server: Server }> {
  const received: Received[] = [];
  const started: Bot = { url: '', received, answer: () => 200 };
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://bot');
    if (request.method === 'GET') return void response.end(searchParams.get('hub.challenge'));
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    return void request.on('end', () => {
      const signature = request.headers['x-hub-signature-256'];
      const one = { text: body, signature: Array.isArray(signature) ? signature[0] : signature };
      received.push(one);
      response.writeHead(started.answer(one)).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { bot: Object.assign(started, { url: `http://127.0.0.1:${port}/webhook` }), server };
}
