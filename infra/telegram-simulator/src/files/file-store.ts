import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import type { StoredFile } from '../store/event.ts';
import type { Store } from '../store/store.ts';

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export type FileKind = StoredFile['kind'];

export interface NewFile {
  readonly kind: FileKind;
  readonly name: string;
  readonly mimeType: string;
  /** Contents of the file, or only their length in bytes. */
  readonly bytes: Buffer | number;
  readonly durationSeconds?: number | undefined;
}

/** An invalid file; the message is Telegram's. */
export class FileError extends Error {}

/** Stores a file under a new id. Throws FileError for an empty file or an invalid photo. */
export function storeFile(store: Store, file: NewFile): StoredFile {
  const sizeBytes = typeof file.bytes === 'number' ? file.bytes : file.bytes.length;
  if (sizeBytes === 0) throw new FileError('file must be non-empty');
  const size = file.kind === 'photo' ? measurePhoto(file.bytes) : null;
  const stored: StoredFile = {
    ...createIds(),
    kind: file.kind,
    name: file.name,
    mimeType: chooseMimeType(file),
    sizeBytes,
    width: size?.width ?? null,
    height: size?.height ?? null,
    durationSeconds: file.kind === 'voice' ? (file.durationSeconds ?? 0) : null,
    path: `${FOLDERS[file.kind]}/file_${store.state.files.size}${extensionOf(file)}`,
    hasBytes: typeof file.bytes !== 'number',
  };
  if (typeof file.bytes !== 'number') store.fileBytes.put(stored.uniqueId, file.bytes);
  store.commit({ kind: 'file', file: stored });
  return stored;
}

/** Returns the contents of a file; null when they are unknown. */
export function readBytes(store: Store, file: StoredFile): Buffer | null {
  return file.hasBytes ? store.fileBytes.get(file.uniqueId) : null;
}

const FOLDERS: Readonly<Record<FileKind, string>> = { document: 'documents', photo: 'photos', voice: 'voice' };
const DEFAULT_EXTENSIONS: Readonly<Record<FileKind, string>> = { document: '', photo: '.jpg', voice: '.oga' };
/** Telegram derives the type of a document from its name, not from the upload. */
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

/** Creates opaque ids, as Telegram does. */
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

function measurePhoto(bytes: Buffer | number): ImageSize {
  const size = typeof bytes === 'number' ? null : readImageSize(bytes);
  if (!size) throw new FileError('IMAGE_PROCESS_FAILED');
  return size;
}

/** Reads the size of a PNG, GIF or JPEG from its header; null for other formats. */
function readImageSize(bytes: Buffer): ImageSize | null {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8') {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? readJpegSize(bytes) : null;
}

/** Walks the JPEG segments (FF, kind, length) to the frame header (C0 … CF), which has the size. */
function readJpegSize(bytes: Buffer): ImageSize | null {
  let position = 2;
  while (position + 9 <= bytes.length) {
    if (bytes[position] !== 0xff) return null;
    const kind = bytes[position + 1] ?? 0;
    const isFrame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (isFrame) return { height: bytes.readUInt16BE(position + 5), width: bytes.readUInt16BE(position + 7) };
    position += 2 + bytes.readUInt16BE(position + 2);
  }
  return null;
}
