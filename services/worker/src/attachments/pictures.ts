import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { Picture } from '@signalbox/models/port';
import type { ChannelFile, FetchedFile } from '@signalbox/platform/streams/files';
import type { InboxMessage } from '@signalbox/store/turns/lanes';

/*
 * The model gets the pictures of a batch once, in their turn. No checkpoint, record or table holds their bytes; later turns have only the
 * words about them.
 */

/** The size limit of a picture: Anthropic accepts 5 MB of Base64, other providers more. */
const PICTURE_LIMIT_BYTES = 3_700_000;
/** The maximum pictures of one turn: each costs as much as a page of text. */
const MAX_PICTURES = 4;

/** Fetches a file from its channel. Throws only the reason of the signal. */
export type FetchFile = (file: ChannelFile, signal: AbortSignal) => Promise<FetchedFile>;

/** Fetches a file that may be a picture once in a turn, although it is both kept and shown. */
export function fetchOnce(fetchFile: FetchFile): FetchFile {
  const known = new Map<string, FetchedFile>();
  return async (file, signal) => {
    const before = known.get(file.ref);
    if (before) return before;
    const given = await fetchFile(file, signal);
    if (given.kind !== 'file' || given.bytes.length <= PICTURE_LIMIT_BYTES) known.set(file.ref, given);
    return given;
  };
}

export interface LoadedPictures {
  readonly pictures: readonly Picture[];
  readonly note: string | null;
}

/** True for a picture that its channel has prepared for viewing. */
export function isPicture({ kind }: Attachment): boolean {
  return kind === 'photo';
}

/** True for a recording, which nobody here listens to. */
export function isSound({ kind }: Attachment): boolean {
  return kind === 'voice' || kind === 'audio';
}

/** Fetches a batch's pictures. `shownWith`: messages with files only → the message with their words. Notes unusable pictures. */
export async function loadPictures(
  deps: { readonly fetchFile: FetchFile; readonly sees: boolean; readonly signal: AbortSignal },
  batch: readonly InboxMessage[],
  shownWith: ReadonlyMap<string, string>,
): Promise<LoadedPictures> {
  const sent = batch.flatMap(({ envelope }) =>
    envelope.kind === 'message'
      ? (envelope.attachments ?? []).filter(isPicture).map((file) => ({ envelope, file }))
      : [],
  );
  if (sent.length === 0) return { pictures: [], note: null };
  if (!deps.sees) return { pictures: [], note: say('turn.pictureUnseen') };
  const fetched = await Promise.all(
    sent.slice(0, MAX_PICTURES).map(async ({ envelope: { id, channel, bot }, file: { ref } }) => {
      const asked = { channel, bot, ref, limitBytes: PICTURE_LIMIT_BYTES };
      const given = await deps.fetchFile(asked, deps.signal);
      return given.kind === 'file' ? toPicture(shownWith.get(id) ?? id, given.bytes) : null;
    }),
  );
  const pictures = fetched.filter((picture) => picture !== null);
  const lost = sent.length - pictures.length;
  return { pictures, note: lost === 0 ? null : say('turn.pictureLost', { count: lost }) };
}

/** Detects the format from the content, since names and types come from outside. */
function toPicture(messageId: string, bytes: Uint8Array): Picture | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  const mimeType = FORMATS.find(({ begins, at8 = '' }) => head.startsWith(begins) && head.startsWith(at8, 8))?.mimeType;
  if (mimeType === undefined) return null;
  return { messageId, mimeType, base64: Buffer.from(bytes).toString('base64') };
}

/** The image formats that every provider takes, with their bytes at 0 and at 8. */
const FORMATS: readonly { readonly mimeType: string; readonly begins: string; readonly at8?: string }[] = [
  { mimeType: 'image/jpeg', begins: '\xff\xd8\xff' },
  { mimeType: 'image/png', begins: '\x89PNG\r\n\x1a\n' },
  { mimeType: 'image/gif', begins: 'GIF87a' },
  { mimeType: 'image/gif', begins: 'GIF89a' },
  { mimeType: 'image/webp', begins: 'RIFF', at8: 'WEBP' },
];
