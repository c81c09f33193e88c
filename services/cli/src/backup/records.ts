import { AppError } from '@signalbox/contracts/errors';
import { z } from 'zod';
import { ByteReader } from './byte-reader.ts';

const Mode = z.int().min(0).max(0o7777);
const Path = z.string().min(1);
/** What a part of a backup is. Paths are relative to a place, with `/`; the path `.` is the place itself. */
export const RecordHead = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('database'), migrations: z.array(z.string()) }),
  z.object({ kind: z.literal('table'), schema: z.string(), name: z.string(), columns: z.array(z.string()).readonly() }),
  z.object({
    kind: z.literal('sequences'),
    sequences: z.array(z.object({ schema: z.string(), name: z.string(), last: z.string().nullable() })).readonly(),
  }),
  z.object({ kind: z.literal('folder'), place: z.string(), path: Path, mode: Mode }),
  z.object({ kind: z.literal('file'), place: z.string(), path: Path, mode: Mode }),
  z.object({ kind: z.literal('link'), place: z.string(), path: Path, to: z.string() }),
  z.object({ kind: z.literal('end'), parts: z.int() }),
]);
export type RecordHead = z.output<typeof RecordHead>;

/** A part of a backup and its bytes. */
export interface BackupRecord {
  readonly head: RecordHead;
  readonly body: AsyncIterable<Buffer>;
}

/** A record without bytes. */
export function makeRecord(head: RecordHead): BackupRecord {
  return { head, body: (async function* () {})() };
}

const MAX_HEAD_BYTES = 16 * 1024 * 1024;

/** Turns records into bytes: length and JSON of the head, then pieces with their lengths, then the length 0. Ends with a count of parts. */
export async function* encodeRecords(records: AsyncIterable<BackupRecord>): AsyncGenerator<Buffer> {
  let parts = 0;
  for await (const record of records) {
    yield* encodeRecord(record);
    parts += 1;
  }
  yield* encodeRecord(makeRecord({ kind: 'end', parts }));
}

async function* encodeRecord({ head, body }: BackupRecord): AsyncGenerator<Buffer> {
  yield withLength(Buffer.from(JSON.stringify(head)));
  for await (const piece of body) if (piece.length > 0) yield withLength(piece);
  yield withLength(Buffer.alloc(0));
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads records back. What was not read of a body is passed over before the next record. Throws BACKUP_UNREADABLE when parts are missing. */
export async function* decodeRecords(bytes: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  const input = new ByteReader(bytes);
  for (let parts = 0; ; parts += 1) {
    const head = await readHead(input);
    const body = readBody(input);
    if (head.kind === 'end') {
      if (head.parts !== parts) throw unreadable(`${head.parts} parts were stored, and ${parts} are there`);
      return;
    }
    yield { head, body };
    for await (const piece of body) void piece;
  }
}

async function readHead(input: ByteReader): Promise<RecordHead> {
  const length = (await input.read(4)).readUInt32BE();
  if (length > MAX_HEAD_BYTES) throw unreadable('a part has no readable beginning');
  const head = RecordHead.safeParse(JSON.parse((await input.read(length)).toString()));
  if (!head.success) throw unreadable('it holds a part that this release does not know');
  return head.data;
}

async function* readBody(input: ByteReader): AsyncGenerator<Buffer> {
  for (;;) {
    const length = (await input.read(4)).readUInt32BE();
    if (length === 0) return;
    yield await input.read(length);
  }
}

const unreadable = (detail: string): AppError => new AppError('BACKUP_UNREADABLE', { detail });
