import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { Readable } from 'node:stream';
import { Api } from 'grammy';
import { request, type Dispatcher } from 'undici';
import { ServerDown } from './failure.ts';

export type TelegramApi = Api;

export type ApiSignal = NonNullable<Parameters<TelegramApi['getMe']>[0]>;

/** A call as grammY passes it to its client: JSON or a form, as a stream. */
interface ApiCall {
  readonly method?: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Readable | null;
  /** grammY's signal type has every method that undici uses. */
  readonly signal: AbortSignal;
}

/** Creates a Bot API client. Unlike grammY's default it tells a failed connection (nothing was sent) from a lost answer. */
export function createApi(options: {
  readonly token: string;
  readonly apiRoot: string;
  /** A slower call is aborted, even if its connection stays open. */
  readonly timeoutSeconds: number;
}): TelegramApi {
  return new Api(options.token, {
    apiRoot: options.apiRoot,
    timeoutSeconds: options.timeoutSeconds,
    fetch: callServer as typeof fetch, // grammY calls its fetch with these arguments
  });
}

/** Casts to grammY's own AbortSignal type; the built-in one has every method that grammY calls. */
export function toApiSignal(signal: AbortSignal): ApiSignal {
  return signal as unknown as ApiSignal; // the types differ in methods that grammY never calls
}

/** The error that ends listening, because Telegram refuses the token. */
export function createTokenError(code: number, cause: unknown): AppError {
  return new AppError('STARTUP_REFUSED', { reason: say('gateway.token-refused', { code }) }, cause);
}

/** The host of a webhook's address, for logs and messages: the path may be a secret. */
export function getHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}

/** Calls the Bot API through undici, at half the cost of fetch. Throws ServerDown for a proxy's error page. */
async function callServer(url: string, { method = 'POST', headers, body, signal }: ApiCall): Promise<Response> {
  // A whole body has a length, which proxies want, and can be sent again; grammY's forms are streams.
  const whole = body instanceof Readable ? Buffer.concat(await body.toArray()) : (body ?? null);
  const answer = await request(url, { method, headers, body: whole, signal });
  const type = answer.headers['content-type'] ?? '';
  if (!type.includes('json')) {
    await answer.body.dump();
    throw new ServerDown(answer.statusCode);
  }
  return { json: () => answer.body.json() } as Response; // grammY reads nothing else of the response
}
