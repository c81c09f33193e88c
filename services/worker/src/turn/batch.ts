import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import type { ClaimedLane, InboxMessage } from '@signalbox/store/turns/lanes';
import { formatBytes } from '@signalbox/contracts/file-name';
import { findInternalFailure } from '@signalbox/messages/own-failure';
import type { DecisionEnvelope, ResumeResult } from '@signalbox/governance/resume-decision';
import type { AgentMessage } from '../agents/agent.ts';
import type { KeepProblem, KeptFile, KeptFiles } from '../attachments/keep-attachments.ts';

export interface MessageBatch {
  readonly messages: readonly AgentMessage[];
  /** For each message with files only, the id of the text message that it belongs to. */
  readonly shownWith: ReadonlyMap<string, string>;
}

/** Takes the first messages that belong together: one chat and thread, no command. Files without words join neighboring words. */
export function takeLeadingBatch(lane: ClaimedLane): readonly InboxMessage[] {
  const chatKey = lane.messages[0]?.envelope.chatKey;
  const batch = takeWhile(
    lane.messages,
    ({ envelope }) =>
      envelope.chatKey === chatKey &&
      (envelope.kind === 'message' || envelope.kind === 'job-finished') &&
      !(envelope.kind === 'job-finished' && envelope.threadId !== lane.threadId),
  );
  if (batch.some(hasWords)) return batch;
  const first = batch[0]?.envelope.kind;
  return takeWhile(batch, ({ envelope }) => envelope.kind === first);
}

/** Lists all attachments of a batch without words; null when the batch has words or a message of the runtime. */
export function findFilesWithoutText(batch: readonly InboxMessage[]): readonly Attachment[] | null {
  const wordless = batch.every((message) => message.envelope.kind === 'message' && !hasWords(message));
  return wordless ? batch.flatMap(attachmentsOf) : null;
}

/** `made`: values that the runtime made, by the run whose end tells of them. */
export function toMessageBatch(
  batch: readonly InboxMessage[],
  kept: KeptFiles = new Map(),
  made: ReadonlyMap<string, readonly string[]> = new Map(),
): MessageBatch {
  const shownWith = new Map<string, string>();
  batch.forEach((message, place) => {
    const carrier = isFilesOnly(message) && (batch.slice(place).find(hasWords) ?? batch.findLast(hasWords));
    if (carrier) shownWith.set(message.envelope.id, carrier.envelope.id);
  });
  const messages = batch
    .filter(({ envelope }) => !shownWith.has(envelope.id))
    .map((message) => {
      const { id } = message.envelope;
      return toAgentMessage(
        message,
        batch.filter((other) => other === message || shownWith.get(other.envelope.id) === id),
        { kept, made },
      );
    });
  return { messages, shownWith };
}

/** Describes a file on one line: `[attached: report.pdf, application/pdf, 120 kB; kept as attachments/report.pdf]`. */
export function describeAttachment({ kind, name, mimeType, sizeBytes }: Attachment, kept?: KeptFile): string {
  const size = kept?.kind === 'kept' ? kept.sizeBytes : sizeBytes;
  const parts = [name ?? kind, mimeType, size === null ? null : formatBytes(size)];
  return `[attached: ${parts.filter((part) => part !== null).join(', ')}${describeKept(kept)}]`;
}

function describeKept(kept: KeptFile | undefined): string {
  if (kept === undefined) return '';
  return kept.kind === 'kept' ? `; kept as ${kept.path}` : `; not kept: ${WHY_NOT_KEPT[kept.why]}`;
}

/** For the model; people read `turn.fileLost`. */
const WHY_NOT_KEPT: Readonly<Record<KeepProblem, string>> = {
  large: 'it is larger than 20 MB',
  gone: 'the channel does not have it any more',
  away: 'it could not be fetched',
  full: 'the folder of this conversation is full',
  blocked: 'the folder attachments of this conversation refuses it',
};

/** Tells an agent of a decision, and of what came of the action. A failed action counts as failed, whoever approved it. */
export function toDecisionBatch(
  { id, actionId: callId, outcome }: DecisionEnvelope,
  { say, result, about, isOutside = false }: Omit<ResumeResult, 'decided'>,
): MessageBatch {
  const buttons = (result?.next ?? []).map(({ label }) => label);
  const event: AgentMessage['event'] = {
    kind: 'decision',
    say,
    callId,
    outcome: result && !result.ok ? 'failed' : outcome,
    ...about,
    ...(buttons.length > 0 ? { buttons } : {}),
    ...(result?.goesOn ? { goesOn: true } : {}),
    ...madeOf(result?.made),
  };
  const news: AgentMessage = { id, text: `[decision] ${say}`, event, ...(isOutside && EVENT) };
  return { messages: [news], shownWith: new Map() };
}

/** True for messages with text that others may have written: forwards, names of files, and job results that may quote others. */
export function isWrittenByOthers({ envelope }: InboxMessage): boolean {
  if (envelope.kind === 'message') return envelope.borrowed !== undefined || envelope.attachments !== undefined;
  if (envelope.kind !== 'job-finished' || envelope.isOwn) return false;
  return findInternalFailure(envelope.say, envelope.runId) === null;
}

function toAgentMessage(
  message: InboxMessage,
  together: readonly InboxMessage[],
  { kept, made }: { readonly kept: KeptFiles; readonly made: ReadonlyMap<string, readonly string[]> },
): AgentMessage {
  const { envelope } = message;
  if (envelope.kind === 'job-finished') {
    const { say, runId: callId, job, outcome } = envelope;
    return {
      id: envelope.id,
      text: `[news of job ${envelope.job}] ${say}`,
      event: { kind: 'job-finished', say, callId, job, outcome, ...madeOf(made.get(callId)) },
      ...(isWrittenByOthers(message) && EVENT),
    };
  }
  if (envelope.kind === 'node') {
    const { say, node, about } = envelope;
    const event = { kind: 'node' as const, say, node, ...(about === undefined ? {} : { about }) };
    return { id: envelope.id, text: `[${node} runs again] ${say}`, event };
  }
  if (envelope.kind === 'mode') {
    const { id, mode, device } = envelope;
    return { id, text: `[reads by ${mode} on ${device}]`, event: { kind: 'mode', mode, device } };
  }
  const words = envelope.kind === 'message' ? envelope.text : '';
  const lines = together.flatMap((message) =>
    attachmentsOf(message).map((file, place) => describeAttachment(file, kept.get(message.envelope.id)?.[place])),
  );
  const reads = envelope.kind === 'message' && envelope.reads ? { reads: envelope.reads } : {};
  return { id: envelope.id, text: [words, ...lines].join('\n'), event: null, ...markOf(together), ...reads };
}

const EVENT = { outside: 'event' } as const;

function madeOf(values: readonly string[] = []): { readonly made?: string[] } {
  return values.length > 0 ? { made: [...values] } : {};
}

/** A forward anywhere makes all of it a forward. */
function markOf(together: readonly InboxMessage[]): Pick<AgentMessage, 'outside'> {
  if (together.some(({ envelope }) => envelope.kind === 'message' && envelope.borrowed !== undefined))
    return { outside: 'forward' };
  return together.some(isWrittenByOthers) ? { outside: 'file' } : {};
}

function isFilesOnly(message: InboxMessage): boolean {
  return message.envelope.kind === 'message' && !hasWords(message);
}

function hasWords(message: InboxMessage): boolean {
  // A message without files counts as words, even an empty message; the agent answers it.
  return message.envelope.kind === 'message' && (wordsOf(message) !== '' || attachmentsOf(message).length === 0);
}

function wordsOf({ envelope }: InboxMessage): string {
  return envelope.kind === 'message' ? envelope.text.trim() : '';
}

function attachmentsOf({ envelope }: InboxMessage): readonly Attachment[] {
  return envelope.kind === 'message' ? (envelope.attachments ?? []) : [];
}

function takeWhile<T>(list: readonly T[], holds: (one: T) => boolean): readonly T[] {
  const end = list.findIndex((one) => !holds(one));
  return end === -1 ? list : list.slice(0, end);
}
