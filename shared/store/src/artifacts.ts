import { createHash } from 'node:crypto';
import type { OutboundFile } from '@signalbox/contracts/conversation/envelope';
import { cleanFileName, formatBytes } from '@signalbox/contracts/file-name';
import { redactLongText } from '@signalbox/safety/redact/long';
import { redactText } from '@signalbox/safety/redact/redact';
import { selectHeldLane, type Lane } from './conversation/lane.ts';
import type { Queryable } from './pool.ts';
import { findRow, findValue, sql } from './sql.ts';

export interface Artifact {
  readonly name: string;
  readonly mimeType: string;
  readonly content: string | Uint8Array;
}

export interface StoredFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** Maximum number of files per message. */
const MAX_FILES = 10;
/** Maximum size of a file: well below the 50 MB upload limit of a Telegram bot, and small enough to open on a phone. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** Maximum bytes of all files of one turn, so that a tool in a loop cannot fill the disk. */
const MAX_TURN_BYTES = 50 * 1024 * 1024;
/** Days until a file is deleted. Files are sent at once; resends and look-ups need them no longer. */
const KEPT_DAYS = 30;

/** `lost`: another worker holds the lane. `refused`: too many or too large files; nothing was stored, and `detail` says why in English. */
export type StoredArtifacts =
  | { readonly kind: 'stored'; readonly files: readonly OutboundFile[] }
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused'; readonly detail: string };

/**
 * Stores the files of one action, only while the lane is held. Idempotent: a repeated action gets the same ids. Redacts secrets in texts,
 * and deletes files older than 30 days.
 */
export async function putArtifacts(
  db: Queryable,
  lane: Lane,
  action: { readonly actionId: string; readonly turnId: string; readonly threadId: string },
  artifacts: readonly Artifact[],
): Promise<StoredArtifacts> {
  const files: StoredFile[] = [];
  for (const { name, mimeType, content } of artifacts)
    files.push({ name: cleanFileName(redactText(name)), mimeType, bytes: await redactContent(content) });
  const detail = findProblem(files) ?? (await findTurnProblem(db, action, files));
  if (detail !== null) return { kind: 'refused', detail };
  await db.query(sql`delete from artifacts where created_at < now() - ${KEPT_DAYS} * interval '1 day'`);
  const stored: OutboundFile[] = [];
  for (const [index, { name, mimeType, bytes }] of files.entries()) {
    const artifactId = `art_${createHash('sha256').update(`${action.actionId}/${index}`).digest('hex').slice(0, 32)}`;
    const isHeld = await findValue(db, false)`
      with held as (${selectHeldLane(lane)}),
            put as (
              insert into artifacts (id, action_id, place, turn_id, thread_id, user_key, name, mime_type, sha256, size_bytes, bytes)
              select ${artifactId}, ${action.actionId}, ${index}, ${action.turnId}, ${action.threadId}, ${lane.userKey}, ${name},
                ${mimeType}, ${createHash('sha256').update(bytes).digest('hex')}, ${bytes.length}, ${bytes} from held
                on conflict (action_id, place) do nothing)
       select exists (select 1 from held)`;
    if (!isHeld) return { kind: 'lost' };
    stored.push({ artifactId, name });
  }
  return { kind: 'stored', files: stored };
}

/** Redacts secrets in texts. Returns binary content and files over the size limit unchanged. */
async function redactContent(content: string | Uint8Array): Promise<Buffer> {
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_FILE_BYTES || bytes.includes(0)) return bytes;
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) return bytes;
  const redacted = await redactLongText(text);
  return redacted === text ? bytes : Buffer.from(redacted);
}

/** Reads a stored file; null when it was deleted after 30 days. */
export function readArtifact(db: Queryable, artifactId: string): Promise<StoredFile | null> {
  return findRow<StoredFile>(db)`select name, mime_type as "mimeType", bytes from artifacts
      where id = ${artifactId}`;
}

type Sized = Pick<StoredFile, 'name' | 'bytes'>;

function findProblem(files: readonly Sized[]): string | null {
  if (files.length > MAX_FILES) return `There are ${files.length} files, and ${MAX_FILES} fit into one message.`;
  const large = files.find(({ bytes }) => bytes.length > MAX_FILE_BYTES);
  if (large)
    return `${large.name} has ${formatBytes(large.bytes.length)}, and a file may have ${formatBytes(MAX_FILE_BYTES)}.`;
  const empty = files.find(({ bytes }) => bytes.length === 0);
  return empty ? `${empty.name} is empty.` : null;
}

async function findTurnProblem(
  db: Queryable,
  { turnId, actionId }: { readonly turnId: string; readonly actionId: string },
  files: readonly Sized[],
): Promise<string | null> {
  const before = await findValue(db, 0)`
    select sum(size_bytes)::float8 from artifacts where turn_id = ${turnId} and action_id <> ${actionId}`;
  const total = before + files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total <= MAX_TURN_BYTES) return null;
  return `The files of this turn would have ${formatBytes(total)} together, and ${formatBytes(MAX_TURN_BYTES)} are the most.`;
}
