import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { AppError } from '@signalbox/contracts/errors';
import { z } from 'zod';
import { InputError } from '../command.ts';
import { ByteReader } from './byte-reader.ts';

/*
 * A backup is one file:
 *
 *   a line of JSON, readable without the key ─▶ frames: length (4 bytes) · AES-256-GCM(a part of the compressed bytes) · tag (16 bytes)
 *
 * A frame's nonce holds a counter and whether the frame is the last one, as in the STREAM construction of Hoang, Reyhanitabar, Rogaway
 * and Vizár (2015). Its additional data is the first line. So frames that were changed, swapped, cut off or taken from another backup are
 * noticed. Each backup has a key of its own, derived from the given one by HKDF and a random salt.
 */

const Header = z.object({
  format: z.literal('signalbox-backup-1'),
  release: z.string(),
  at: z.iso.datetime(),
  salt: z.base64url(),
  nonce: z.base64url(),
});
/** What can be read without the key: the release that made the backup, and when. */
export type BackupHeader = Pick<z.output<typeof Header>, 'release' | 'at'>;

const FRAME_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 4096;
const TAG_BYTES = 16;
const KEY = /^[A-Za-z0-9_-]{43}$/;

interface Seal {
  readonly key: Buffer;
  readonly nonce: Buffer;
  /** The first line of the file. */
  readonly first: Buffer;
}

/** Makes a key of 256 random bits, as text. */
export function makeBackupKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Reads a key that `backup` printed from a file. */
export async function readBackupKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(refuseKey);
  const key = text.trim();
  return KEY.test(key) ? key : refuseKey('a key has 43 letters and digits, as `backup` printed it');
}

function refuseKey(reason: unknown): never {
  throw new InputError(`The key file cannot be used: ${reason instanceof Error ? reason.message : String(reason)}.`);
}

/** Writes a backup to `file`, which appears only when it is whole and on disk. Returns its size in bytes. */
export async function writeArchive(
  file: string,
  key: string,
  header: BackupHeader,
  bytes: AsyncIterable<Buffer>,
): Promise<number> {
  const [salt, nonce] = [randomBytes(16), randomBytes(7)];
  const told = { format: 'signalbox-backup-1', ...header, salt: toText(salt), nonce: toText(nonce) };
  const seal: Seal = { key: deriveKey(key, salt), nonce, first: Buffer.from(`${JSON.stringify(told)}\n`) };
  const draft = `${file}.part`;
  try {
    const source = Readable.from(bytes, { objectMode: false });
    const encrypt = (compressed: AsyncIterable<Buffer>) => encryptFrames(compressed, seal);
    await pipeline(source, createZstdCompress(), encrypt, createWriteStream(draft, { mode: 0o600 }));
    const written = await open(draft, 'r+');
    const { size } = await written.stat();
    await written.sync();
    await written.close();
    await rename(draft, file);
    return size;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Opens a backup. `bytes` throws BACKUP_UNREADABLE, as this does, for a wrong key and for a file that was changed or ends too early.
 * It throws RESTORE_STOPPED when `signal` ends the reading.
 */
export async function readArchive(
  file: string,
  key: string,
  signal?: AbortSignal,
): Promise<{ readonly header: BackupHeader; readonly bytes: AsyncIterable<Buffer> }> {
  const input = new ByteReader(createReadStream(file, { highWaterMark: FRAME_BYTES, signal }));
  const first = await input.readLine(MAX_HEADER_BYTES).catch(refuse);
  const header = parseHeader(first.toString());
  const nonce = Buffer.from(header.nonce, 'base64url');
  const seal: Seal = { key: deriveKey(key, Buffer.from(header.salt, 'base64url')), nonce, first };
  return { header, bytes: decompress(decryptFrames(input, seal)) };
}

/** Begins with the first read, because nobody hears of an error before. */
async function* decompress(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const compressed = Readable.from(frames, { objectMode: false });
  const bytes = createZstdDecompress();
  compressed.on('error', (error) => bytes.destroy(error));
  yield* compressed.pipe(bytes);
}

async function* encryptFrames(source: AsyncIterable<Buffer>, seal: Seal): AsyncGenerator<Buffer> {
  yield seal.first;
  let waiting: Buffer[] = [];
  let size = 0;
  let counter = 0;
  for await (const bytes of source) {
    waiting.push(bytes);
    size += bytes.length;
    if (size < FRAME_BYTES) continue;
    yield encryptFrame(Buffer.concat(waiting), seal, counter++, false);
    [waiting, size] = [[], 0];
  }
  yield encryptFrame(Buffer.concat(waiting), seal, counter, true);
}

function encryptFrame(plain: Buffer, seal: Seal, counter: number, isLast: boolean): Buffer {
  const cipher = createCipheriv('aes-256-gcm', seal.key, nonceOf(seal, counter, isLast)).setAAD(seal.first);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(plain.length);
  return Buffer.concat([length, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

async function* decryptFrames(input: ByteReader, seal: Seal): AsyncGenerator<Buffer> {
  for (let counter = 0; ; counter += 1) {
    const length = (await input.read(4).catch(refuse)).readUInt32BE();
    // The compressor gives out pieces of its own size, so a frame is a little longer than planned.
    if (length > 4 * FRAME_BYTES) throw unreadable('it was changed, or is no backup');
    const [sealed, tag] = [await input.read(length).catch(refuse), await input.read(TAG_BYTES).catch(refuse)];
    const isLast = await input.isAtEnd();
    const decipher = createDecipheriv('aes-256-gcm', seal.key, nonceOf(seal, counter, isLast));
    decipher.setAAD(seal.first).setAuthTag(tag);
    const plain = decipher.update(sealed);
    try {
      decipher.final();
    } catch (cause) {
      throw unreadable(
        counter === 0 ? 'the key does not fit, or it was changed' : 'it was changed, or its end is missing',
        cause,
      );
    }
    yield plain;
    if (isLast) return;
  }
}

function nonceOf({ nonce }: Seal, counter: number, isLast: boolean): Buffer {
  const end = Buffer.alloc(5);
  end.writeUInt32BE(counter);
  end[4] = isLast ? 1 : 0;
  return Buffer.concat([nonce, end]);
}

function deriveKey(key: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64url'), salt, 'signalbox-backup', 32));
}

function parseHeader(line: string): z.output<typeof Header> {
  try {
    return Header.parse(JSON.parse(line));
  } catch (cause) {
    throw unreadable('it is no backup of Signalbox, or of a newer release', cause);
  }
}

const toText = (bytes: Buffer): string => bytes.toString('base64url');

const unreadable = (detail: string, cause?: unknown): AppError => new AppError('BACKUP_UNREADABLE', { detail }, cause);

function refuse(cause: unknown): never {
  if (cause instanceof Error && cause.name === 'AbortError')
    throw new AppError('RESTORE_STOPPED', { detail: 'it was interrupted' }, cause);
  throw unreadable(cause instanceof Error ? cause.message : String(cause), cause);
}
