import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { Readable } from 'node:stream';
import { Api } from 'grammy';
import { request, type Dispatcher } from 'undici';
import { ServerDown } from './failure.ts';

export type TelegramApi = Api;

/** grammY's own AbortSignal, which its methods take. */
export type ApiSignal = NonNullable<Parameters<TelegramApi['getMe']>[0]>;

/** What grammY asks a client for: its JSON or a form, in a stream. */
interface Call {
  readonly method?: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Readable | null;
  /** grammY's own kind of signal, which has all that undici uses of one. */
  readonly signal: AbortSignal;
}

/**
 * Opens the Bot API. Our client tells failed connections (nothing was sent) from lost answers, which grammY's default client does
 * not.
 */
export function createApi(options: {
  readonly token: string;
  readonly apiRoot: string;
  /** A call that takes longer is given up, even if its connection never ends. */
  readonly timeoutSeconds: number;
}): TelegramApi {
  return new Api(options.token, {
    apiRoot: options.apiRoot,
    timeoutSeconds: options.timeoutSeconds,
    fetch: callServer as typeof fetch, // grammY calls it with these arguments
  });
}

/** grammY declares its own AbortSignal, which the built-in one satisfies in every method that it calls. */
export function toApiSignal(signal: AbortSignal): ApiSignal {
  return signal as unknown as ApiSignal; // the types differ in what it never calls
}

/** What ends the listening under a token that Telegram does not know: nothing comes in until somebody has mended it. */
export function createTokenError(code: number, cause: unknown): AppError {
  return new AppError('STARTUP_REFUSED', { reason: say('gateway.token-refused', { code }) }, cause);
}

/** The host of a webhook's address, for logs and sentences: its path may be a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}

/**
 * Calls the Bot API through undici's dispatcher, which costs half of what its fetch does. An error page of a proxy in front of the Bot
 * API is a failure with a name.
 */
async function callServer(url: string, { method = 'POST', headers, body, signal }: Call): Promise<Response> {
  const answer = await request(url, { method, headers, body: await toWhole(body), signal });
  const type = answer.headers['content-type'] ?? '';
  if (!type.includes('json')) {
    await answer.body.dump();
    throw new ServerDown(answer.statusCode);
  }
  return { json: () => answer.body.json() } as Response; // grammY reads nothing else of it
}

/** grammY streams forms; sent whole they have a length, which proxies want, and can be sent again. */
async function toWhole(body: Call['body']): Promise<string | Uint8Array | null> {
  return body instanceof Readable ? Buffer.concat(await body.toArray()) : (body ?? null);
}
