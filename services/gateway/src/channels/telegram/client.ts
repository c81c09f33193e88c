import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { Readable } from 'node:stream';
import { Api } from 'grammy';
import { ServerDown } from './failure.ts';

export type TelegramApi = Api;

/** grammY's own AbortSignal, which its methods take. */
export type ApiSignal = NonNullable<Parameters<TelegramApi['getMe']>[0]>;

/**
 * Opens the Bot API. Node's own fetch tells failed connections (nothing was sent) from lost answers, which grammY's
 * default client does not.
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
    fetch: callServer,
  });
}

/** grammY declares its own AbortSignal, which the built-in one satisfies in every method that it calls. */
export function toApiSignal(signal: AbortSignal): ApiSignal {
  return signal as unknown as ApiSignal; // the types differ in what it never calls
}

/** What ends a gateway whose token Telegram does not know: no later try can succeed. */
export function createTokenError(code: number, cause: unknown): AppError {
  return new AppError('STARTUP_REFUSED', { reason: say('gateway.token-refused', { code }) }, cause);
}

/** The host of a webhook's address, for logs and sentences: its path may be a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}

/** fetch, except that an error page of a proxy in front of the Bot API is a failure with a name. */
async function callServer(url: string | URL, init: RequestInit): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    body: await toWhole(init.body),
    signal: toNative(init.signal ?? null),
  });
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  if (isJson) return response;
  await response.body?.cancel();
  throw new ServerDown(response.status);
}

/** grammY streams forms; sent whole they have a length, which proxies want, and can be sent again. */
async function toWhole(body: RequestInit['body']): Promise<NonNullable<RequestInit['body']> | null> {
  if (!(body instanceof Readable)) return body ?? null;
  return new Uint8Array(Buffer.concat(await body.toArray()));
}

/** grammY brings its own AbortSignal class; fetch listens only to the built-in one. */
function toNative(signal: AbortSignal | null): AbortSignal | null {
  if (signal === null) return null;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort(), { once: true });
  return controller.signal;
}
