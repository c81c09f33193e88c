import { GrammyError } from 'grammy';
import { request } from 'undici';
import type { FetchResult } from '../../channel.ts';
import { toApiSignal, type TelegramApi } from '../client.ts';
import { classifyFailure } from '../failure.ts';

/** What Telegram says of a file that it does not give to a bot at all. */
const TOO_BIG = /file is too big/i;

/**
 * Fetches a file from Telegram: its path first, then its bytes, at most so many. The address of a file holds the token, so neither it
 * nor an error that may quote it leaves this function.
 */
export async function fetchFile(
  { api, apiRoot, token }: { readonly api: TelegramApi; readonly apiRoot: string; readonly token: string },
  ref: string,
  { limitBytes, signal }: { readonly limitBytes: number; readonly signal: AbortSignal },
): Promise<FetchResult> {
  try {
    const { file_path: path, file_size: size } = await api.getFile(ref, toApiSignal(signal));
    if ((size ?? 0) > limitBytes) return { kind: 'too-large' };
    if (path === undefined || !isBelow(path)) return { kind: 'gone' };
    const place = path.split('/').map(encodeURIComponent).join('/');
    const { statusCode, body } = await request(`${apiRoot}/file/bot${token}/${place}`, { signal });
    if (statusCode !== 200) {
      await body.dump();
      return statusCode === 404 ? { kind: 'gone' } : { kind: 'away', detail: `HTTP ${statusCode}` };
    }
    return await readBody(body, limitBytes);
  } catch (error) {
    return describe(error);
  }
}

/** A Bot API server that keeps files on its own disk gives a path of that disk, which leads nowhere here. */
function isBelow(path: string): boolean {
  return path.split('/').every((step) => !['', '.', '..'].includes(step));
}

async function readBody(body: AsyncIterable<unknown>, limitBytes: number): Promise<FetchResult> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    const piece = chunk as Uint8Array; // undici's bodies yield bytes
    length += piece.length;
    if (length > limitBytes) return { kind: 'too-large' }; // leaving the loop closes the connection
    chunks.push(piece);
  }
  return { kind: 'file', bytes: Buffer.concat(chunks) };
}

function describe(error: unknown): FetchResult {
  if (error instanceof GrammyError && TOO_BIG.test(error.description)) return { kind: 'too-large' };
  const failure = classifyFailure(error);
  if (failure.kind === 'rejected' || failure.kind === 'gone') return { kind: 'gone' };
  return { kind: 'away', detail: failure.kind };
}
