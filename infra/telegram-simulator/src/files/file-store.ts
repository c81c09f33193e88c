import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import type { StoredFile } from '../store/event.ts';
import { type ImageSize, readImageSize } from './image-size.ts';
import type { Store } from '../store/store.ts';

export type FileKind = StoredFile['kind'];

export interface NewFile {
  readonly kind: FileKind;
  readonly name: string;
  readonly mimeType: string;
  /** Or only how many there are. */
  readonly bytes: Buffer | number;
  readonly durationSeconds?: number | undefined;
}

/** Something is wrong with a file; the reason is in Telegram's words. */
export class FileError extends Error {}

/** Telegram's limits of photos: bytes, pixels of both sides together, and how long one side may be to the other. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const MAX_PHOTO_SIDES = 10_000;
const MAX_PHOTO_RATIO = 20;

/** Stores a file under a new id. Throws FileError for an empty file and for what is no photo. */
export function storeFile(store: Store, file: NewFile): StoredFile {
  const sizeBytes = typeof file.bytes === 'number' ? file.bytes : file.bytes.length;
  if (sizeBytes === 0) throw new FileError('file must be non-empty');
  const size = file.kind === 'photo' ? measurePhoto(file.bytes, sizeBytes) : null;
  const thumbnail = size ? storeThumbnail(store, size) : null;
  return keep(store, file.bytes, {
    ...createIds(),
    kind: file.kind,
    name: file.name,
    mimeType: chooseMimeType(file),
    sizeBytes,
    width: size?.width ?? null,
    height: size?.height ?? null,
    durationSeconds: file.kind === 'voice' ? (file.durationSeconds ?? 0) : null,
    path: `${FOLDERS[file.kind]}/file_${store.state.files.size}${extensionOf(file)}`,
    thumbnailId: thumbnail?.fileId ?? null,
    hasBytes: typeof file.bytes !== 'number',
  });
}

/** What is in a file; null if nobody knows. */
export function readBytes(store: Store, file: StoredFile): Buffer | null {
  return file.hasBytes ? store.fileBytes.get(file.uniqueId) : null;
}

const FOLDERS: Readonly<Record<FileKind, string>> = { document: 'documents', photo: 'photos', voice: 'voice' };
const DEFAULT_EXTENSIONS: Readonly<Record<FileKind, string>> = { document: '', photo: '.jpg', voice: '.oga' };
/** Telegram goes by the name of a document rather than by what the sender says. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.ogg': 'audio/ogg',
  '.mp3': 'audio/mpeg',
};

function keep(store: Store, bytes: Buffer | number, file: StoredFile): StoredFile {
  if (typeof bytes !== 'number') store.fileBytes.put(file.uniqueId, bytes);
  store.commit({ kind: 'file', file });
  return file;
}

/** Opaque, as at Telegram: nobody must read anything out of them. */
function createIds(): { fileId: string; uniqueId: string } {
  return { fileId: `F${randomBytes(30).toString('base64url')}`, uniqueId: `U${randomBytes(9).toString('base64url')}` };
}

function chooseMimeType({ kind, name, mimeType }: NewFile): string {
  if (kind === 'photo') return 'image/jpeg';
  if (kind === 'voice') return 'audio/ogg';
  return MIME_TYPES[extname(name).toLowerCase()] ?? (mimeType === '' ? 'application/octet-stream' : mimeType);
}

function extensionOf({ kind, name }: NewFile): string {
  const extension = kind === 'document' ? extname(name).toLowerCase() : '';
  return /^\.\w{1,10}$/.test(extension) ? extension : DEFAULT_EXTENSIONS[kind];
}

function measurePhoto(bytes: Buffer | number, sizeBytes: number): ImageSize {
  if (sizeBytes > MAX_PHOTO_BYTES) {
    throw new FileError(
      `file of size ${sizeBytes} bytes is too big for a photo; the maximum size is ${MAX_PHOTO_BYTES} bytes`,
    );
  }
  const size = typeof bytes === 'number' ? null : readImageSize(bytes);
  if (!size) throw new FileError('IMAGE_PROCESS_FAILED');
  const { width, height } = size;
  const isFine =
    width > 0 &&
    height > 0 &&
    width + height <= MAX_PHOTO_SIDES &&
    Math.max(width, height) <= MAX_PHOTO_RATIO * Math.min(width, height);
  if (!isFine) throw new FileError('PHOTO_INVALID_DIMENSIONS');
  return size;
}

/** Telegram lists small sizes first: whoever takes the first one of a photo gets this, and should notice. */
const THUMBNAIL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const THUMBNAIL_SIDE = 90;

function storeThumbnail(store: Store, { width, height }: ImageSize): StoredFile {
  const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(width, height));
  return keep(store, THUMBNAIL, {
    ...createIds(),
    kind: 'photo',
    name: '',
    mimeType: 'image/jpeg',
    sizeBytes: THUMBNAIL.length,
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
    durationSeconds: null,
    path: `photos/file_${store.state.files.size}.jpg`,
    thumbnailId: null,
    hasBytes: true,
  });
}
