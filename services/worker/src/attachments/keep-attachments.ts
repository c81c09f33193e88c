import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import { AppError } from '@signalbox/contracts/errors';
import { toPlainFileName } from '@signalbox/contracts/file-name';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { makeAttachmentId } from '@signalbox/contracts/ids';
import { abortAfter, SECOND_MS } from '@signalbox/contracts/time';
import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { toWorkspaceName, type JobRefusal } from '@signalbox/contracts/operations/workspace';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { InboxMessage } from '@signalbox/store/turns/lanes';
import type { ToolRunDeps } from '../tools/run.ts';
import type { FetchFile } from './pictures.ts';

/*
 * The files that a person sends are put into the folder of their conversation, where they can be read and computed on. Their bytes go from
 * the channel through Redis to the disk, and are in no table.
 */

/** The size limit of a file: about what Telegram gives to bots, and little enough for the memory of a worker. */
export const ATTACHMENT_LIMIT_BYTES = 20_000_000;
/** The time for one file's way from the worker to the disk. */
const KEEP_MS = 20 * SECOND_MS;
/** The time for all files of a turn, while its person waits for an answer. */
const ALL_MS = 60 * SECOND_MS;

/** Why a file is not in the folder: `blocked` means that the folder itself refuses it. */
export type KeepProblem = 'large' | 'gone' | 'away' | 'full' | 'blocked';

export type KeptFile =
  | { readonly kind: 'kept'; readonly path: string; readonly sizeBytes: number }
  | { readonly kind: 'lost'; readonly why: KeepProblem };

/** What became of the files of each message, by the id of its envelope and in the order of its attachments. */
export type KeptFiles = ReadonlyMap<string, readonly KeptFile[]>;

export interface KeepDeps extends Pick<ToolRunDeps, 'work' | 'look'> {
  readonly fetchFile: FetchFile;
  hand(id: string, bytes: Uint8Array): Promise<void>;
  drop(id: string): Promise<void>;
}

/** Keeps the files of a batch for those who may work with files. A resumed turn finds them again. Throws on abort. */
export async function keepAttachments(
  deps: KeepDeps,
  scope: CallScope,
  batch: readonly InboxMessage[],
): Promise<KeptFiles> {
  const kept = new Map<string, readonly KeptFile[]>();
  if (!coversRole(scope.actor.role, 'developer')) return kept;
  const late = abortAfter(ALL_MS);
  for (const { envelope } of batch) {
    if (envelope.kind !== 'message' || envelope.attachments === undefined) continue;
    const files: KeptFile[] = [];
    // One after the other: each is in memory, here and in Redis.
    for (const [place, file] of envelope.attachments.entries()) {
      const source = { id: makeAttachmentId(envelope.id, place), channel: envelope.channel, bot: envelope.bot };
      files.push(late.aborted ? { kind: 'lost', why: 'away' } : await keepOne(deps, scope, source, file));
    }
    kept.set(envelope.id, files);
  }
  return kept;
}

interface FileSource {
  readonly id: string;
  readonly channel: string;
  readonly bot: string;
}

async function keepOne(
  deps: KeepDeps,
  scope: CallScope,
  { id, channel, bot }: FileSource,
  file: Attachment,
): Promise<KeptFile> {
  if ((file.sizeBytes ?? 0) > ATTACHMENT_LIMIT_BYTES) return { kind: 'lost', why: 'large' };
  // A resumed turn asks for no file again that lies there already: the channel may have lost it since.
  const before = await deps.look('workspace.attach', id);
  if (before.kind === 'done') return toKeptFile(before.output);
  const asked = { channel, bot, ref: file.ref, limitBytes: ATTACHMENT_LIMIT_BYTES };
  const fetched = await deps.fetchFile(asked, scope.signal);
  if (fetched.kind !== 'file') return { kind: 'lost', why: fetched.kind === 'too-large' ? 'large' : fetched.kind };
  const { threadId, actor } = scope;
  const workspace = toWorkspaceName('thread', threadId);
  const context = { workspace, bounds: 'PERSON' as const, actor: actor.userKey, threadId, actionId: id };
  try {
    await deps.hand(id, fetched.bytes);
    const payload = { ...context, handed: id, name: nameOf(file) };
    const call = { actionId: id, name: 'attachment', input: { ref: file.ref } };
    const wait = { deadlineMs: KEEP_MS, isQuiet: true };
    const worked = await deps.work('workspace.attach', payload, scope, call, wait);
    if (worked.kind === 'goes-on') return { kind: 'lost', why: 'away' };
    return toKeptFile(worked.result);
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof AppError && (error.code === 'LANE_LOST' || error.code === 'ACTION_ID_TAKEN')) throw error;
    // The words of the message are answered without the file, and say so.
    scope.log.warn('file of a message not kept', { error });
    return { kind: 'lost', why: 'away' };
  } finally {
    await deps.drop(id).catch((error: unknown) => scope.log.warn('handed file not dropped, it expires', { error }));
  }
}

function toKeptFile(answer: JobResult<'workspace.attach'>): KeptFile {
  return answer.outcome === 'done'
    ? { kind: 'kept', ...answer.result }
    : { kind: 'lost', why: problemOf(answer.refusal) };
}

/** Endings of files that come without a name. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'audio/ogg': '.ogg',
  'audio/mpeg': '.mp3',
  'video/mp4': '.mp4',
  'text/csv': '.csv',
  'text/plain': '.txt',
  'application/pdf': '.pdf',
};

function nameOf({ name, kind, mimeType }: Attachment): string {
  const [type = ''] = (mimeType ?? '').split(';');
  return toPlainFileName(name ?? `${kind}${ENDINGS[type.trim()] ?? ''}`, kind);
}

function problemOf({ code }: JobRefusal): KeepProblem {
  if (code === 'WORKSPACE_FULL') return 'full';
  return code === 'PATH_DENIED' || code === 'PATH_UNSUITABLE' || code === 'WORKSPACE_DAMAGED' ? 'blocked' : 'away';
}
