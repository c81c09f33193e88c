import type { SendResult } from '../../channel.ts';
import { createConcurrencyLimit } from '../../http/concurrency-limit.ts';
import type { TelegramApi } from '../client.ts';
import { classifyFailure } from '../failure.ts';
import type { TelegramFile } from './encode.ts';
import { callSendFile } from './part-call.ts';
import type { EphemeralReader } from './whisper.ts';

/** Loads a stored file; null when it no longer exists. Throws when the database is away. */
export type LoadFile = (artifactId: string) => Promise<{ readonly bytes: Uint8Array } | null>;

/** Enough for twenty megabytes on a slow line; other chats are not delayed. */
export const UPLOAD_TIMEOUT_SECONDS = 120;

/** Each upload holds its file twice in memory, so further uploads wait. */
const MAX_UPLOADS = 3;

/** Sends files as documents. Never throws. */
export function createFileSender(deps: {
  readonly api: TelegramApi;
  readonly loadFile: LoadFile;
}): (chatKey: string, part: TelegramFile, whisper: EphemeralReader | null) => Promise<SendResult> {
  const limitUploads = createConcurrencyLimit(MAX_UPLOADS);

  const sendFile = async (
    chatKey: string,
    part: TelegramFile,
    whisper: EphemeralReader | null,
  ): Promise<SendResult> => {
    const file = await deps.loadFile(part.artifactId).catch(() => 'away' as const);
    if (file === 'away') return { kind: 'busy', detail: 'the file cannot be read at the moment' };
    if (file === null) return { kind: 'rejected', detail: 'the file is not stored any more' };
    try {
      return { kind: 'sent', messageId: await callSendFile(deps.api, chatKey, part, file.bytes, whisper) };
    } catch (error) {
      return classifyFailure(error);
    }
  };
  return (chatKey, part, whisper) => limitUploads(() => sendFile(chatKey, part, whisper));
}
