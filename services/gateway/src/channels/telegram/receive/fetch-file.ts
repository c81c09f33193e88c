import { GrammyError } from 'grammy';
import { request } from 'undici';
import type { FetchResult } from '../../channel.ts';
import { readAtMost } from '../../http/read-body.ts';
import { toApiSignal, type TelegramApi } from '../client.ts';
import { classifyFailure } from '../failure.ts';

/** Telegram's description for a file over the size limit of bots. */
const TOO_BIG = /file is too big/i;

/** Fetches a file of up to `limitBytes`. Its address contains the token, so no address and no error with it leaves this function. */
export async function fetchFile(
  { api, apiRoot, token }: { readonly api: TelegramApi; readonly apiRoot: string; readonly token: string },
  ref: string,
  { limitBytes, signal }: { readonly limitBytes: number; readonly signal: AbortSignal },
): Promise<FetchResult> {
  try {
    const { file_path: path, file_size: size } = await api.getFile(ref, toApiSignal(signal));
    if ((size ?? 0) > limitBytes) return { kind: 'too-large' };
    if (path === undefined || !isRelativePath(path)) return { kind: 'gone' };
    const place = path.split('/').map(encodeURIComponent).join('/');
    const { statusCode, body } = await request(`${apiRoot}/file/bot${token}/${place}`, { signal });
    if (statusCode !== 200) {
      await body.dump();
      return statusCode === 404 ? { kind: 'gone' } : { kind: 'away', detail: `HTTP ${statusCode}` };
    }
    const bytes = await readAtMost(body, limitBytes);
    return bytes === null ? { kind: 'too-large' } : { kind: 'file', bytes };
  } catch (error) {
    return toFailure(error);
  }
}

/** A Bot API server with local files returns a path on its own disk, which the gateway cannot read. */
function isRelativePath(path: string): boolean {
  return path.split('/').every((step) => !['', '.', '..'].includes(step));
}

function toFailure(error: unknown): FetchResult {
  if (error instanceof GrammyError && TOO_BIG.test(error.description)) return { kind: 'too-large' };
  const failure = classifyFailure(error);
  if (failure.kind === 'rejected' || failure.kind === 'gone') return { kind: 'gone' };
  return { kind: 'away', detail: failure.kind };
}
