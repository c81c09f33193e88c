import { connect } from 'node:net';
import { DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { freePort } from '../../support/free-port.ts';
import { until, type Harness, type StartedGateway } from '../../integration/gateway/harness.ts';

/** What Telegram is told to present. */
export const SECRET = 'a-secret-for-the-tests_0123456789';

/** A gateway that receives by webhook, and what Telegram would call. */
export interface WebhookGateway extends StartedGateway {
  readonly url: string;
  readonly port: number;
}

/** What getWebhookInfo says, as far as tests look. */
export interface WebhookInfo {
  readonly url: string;
  readonly pending_update_count: number;
  readonly max_connections?: number;
  readonly allowed_updates?: readonly string[];
  readonly last_error_message?: string;
}

/** Starts a gateway whose webhook is registered at the simulator, and waits until it is ready. */
export async function startWebhookGateway(
  harness: Harness,
  settings: Readonly<Record<string, string>> = {},
): Promise<WebhookGateway> {
  const port = Number(settings['TELEGRAM_WEBHOOK_PORT'] ?? (await freePort()));
  const url = settings['TELEGRAM_WEBHOOK_URL'] ?? `http://127.0.0.1:${port}/telegram/here`;
  const started = await harness.startGateway({
    TELEGRAM_WEBHOOK_URL: url,
    TELEGRAM_WEBHOOK_SECRET: SECRET,
    TELEGRAM_WEBHOOK_PORT: String(port),
    ...settings,
  });
  await until('the webhook is registered', async () => (await readProblems(started)) === 'ready\n', 30_000);
  return { ...started, url, port };
}

/** What /readyz says. */
export async function readProblems({ gateway }: StartedGateway): Promise<string> {
  return (await fetch(`http://127.0.0.1:${gateway.probe.port}/readyz`)).text();
}

/** The webhook as Telegram knows it. */
export async function readWebhook(harness: Harness): Promise<WebhookInfo> {
  return callBotApi(harness, 'getWebhookInfo');
}

/** Calls a method of the Bot API as a foreign program that has the token. */
export async function callBotApi<T>(harness: Harness, method: string, parameters: object = {}): Promise<T> {
  const response = await fetch(`${harness.simulatorUrl}/bot${DEFAULT_TOKEN}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
  return ((await response.json()) as { result: T }).result; // the Bot API's envelope
}

/** A private text message as Telegram would bring it. */
export function createUpdate(updateId: number, from: number, text: string): object {
  const person = { id: from, is_bot: false, first_name: 'Ada' };
  const message = {
    message_id: updateId,
    date: 1_700_000_000,
    chat: { id: from, type: 'private' },
    from: person,
    text,
  };
  return { update_id: updateId, message };
}

/** Brings an update as Telegram does. */
export function bring(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** What a server answered on a raw connection until it was closed, and how much of `rest` it had taken by then. */
export interface RawAnswer {
  readonly status: number | null;
  readonly sentBytes: number;
}

/** Writes bytes as they are and waits until the server closes the connection. `rest` is written as fast as it is taken. */
export function sendRaw(
  port: number,
  head: string,
  rest: { readonly bytes: number } = { bytes: 0 },
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const piece = Buffer.alloc(64 * 1024, ' ');
    let [answer, left] = ['', rest.bytes];
    const push = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= piece.length;
        if (!socket.write(piece)) return void socket.once('drain', push);
      }
    };
    socket.on('connect', () => {
      socket.write(head);
      push();
    });
    socket.on('data', (data) => (answer += data.toString('latin1')));
    socket.on('error', () => undefined); // a reset; `close` follows
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      resolve({ status: status === undefined ? null : Number(status), sentBytes: socket.bytesWritten });
    });
  });
}
