/** An album holds so many files of one kind. */
const MAX_ALBUM = 10;
/** What the simulator takes in one request. */
const MAX_BYTES = 50 * 1024 * 1024;
/** What a photo may have; a larger picture goes as a file. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
/** A caption may have so many characters; a longer text is a message of its own. */
const MAX_CAPTION = 1_024;
const PHOTOS = new Set(['image/jpeg', 'image/png']);

/** What decides how a file is sent. */
export interface GivenFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}
export type FileKind = 'photo' | 'voice' | 'document';
/** Files of one kind that are sent as one message. */
export interface Batch<Given extends GivenFile> {
  readonly kind: FileKind;
  readonly files: Given[];
}
/** One message that is going to be sent; a plain text has no kind and no files. */
export interface Planned<Given extends GivenFile> {
  readonly text: string;
  readonly kind: FileKind | null;
  readonly files: readonly Given[];
}

/** How a client sends a file: pictures as photos, recordings as voice messages. */
export function kindOf({ type, size }: GivenFile): FileKind {
  if (PHOTOS.has(type) && size <= MAX_PHOTO_BYTES) return 'photo';
  return type === 'audio/ogg' ? 'voice' : 'document';
}

/** Splits files into messages: up to ten of one kind are an album, a voice message stands alone, the order stays. */
export function batchFiles<Given extends GivenFile>(files: readonly Given[]): Batch<Given>[] {
  const batches: Batch<Given>[] = [];
  for (const file of files) {
    const kind = kindOf(file);
    const last = batches.at(-1);
    const sizes = [file, ...(last?.files ?? [])].reduce((sum, { size }) => sum + size, 0);
    const isAlbum = last?.kind === kind && kind !== 'voice' && last.files.length < MAX_ALBUM;
    if (last && isAlbum && sizes <= MAX_BYTES) last.files.push(file);
    else batches.push({ kind, files: [file] });
  }
  return batches;
}

/** The messages that a text and files become, in order. */
export function planMessages<Given extends GivenFile>(
  parts: readonly string[],
  batches: readonly Batch<Given>[],
): readonly Planned<Given>[] {
  const plain = parts.map((text) => ({ text, kind: null, files: [] }));
  const [caption = '', ...others] = parts;
  if (batches.length === 0) return plain;
  const isCaption = others.length === 0 && caption.length <= MAX_CAPTION;
  const sent = batches.map((batch, index) => ({ ...batch, text: isCaption && index === 0 ? caption : '' }));
  return isCaption ? sent : [...sent, ...plain];
}

/** Why a file cannot be sent, as a sentence; null if it can. */
export function findFileProblem({ name, size }: GivenFile): string | null {
  if (size === 0) return `${name} is empty.`;
  if (size > MAX_BYTES) return `${name} is larger than 50 MB, the most that can be sent here.`;
  return null;
}
