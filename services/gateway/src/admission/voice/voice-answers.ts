import type { MessageEnvelope, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { formatBytes } from '@signalbox/contracts/file-name';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { say } from '@signalbox/messages/say';
import type { Transcription } from '@signalbox/models/transcription/transcriber';
import { createControlMessage } from '../control-line.ts';
import type { FetchResult } from '../../channels/channel.ts';
import { toAnswerBody } from '../../commands/answer.ts';
import { getVoiceQuestionKey, type VoidedNote } from '../../rows/voice-notes.ts';

export const YES_BUTTON_INDEX = 0;

/** Asks whether to act on the transcript, which is quoted character by character. */
export function createVoiceQuestion(note: VoidedNote, transcript: string): OutboundEnvelope {
  const buttons = [say('voice.yes'), say('voice.no')].map((label) => ({ label, value: label }));
  return createSlotMessage(note, getVoiceQuestionKey(note.inboxId), {
    text: quoteTranscript(transcript, say('voice.ask')),
    buttons,
  });
}

export function createVoidedQuestion(note: VoidedNote, transcript: string): OutboundEnvelope {
  const row = createSlotMessage(note, `${getVoiceQuestionKey(note.inboxId)}:void`, {
    text: quoteTranscript(transcript, say('voice.void')),
  });
  return { ...row, body: { ...row.body, onlyChanges: true } };
}

export function createFailureNotice(note: VoidedNote, sentence: string): OutboundEnvelope {
  return createControlMessage(
    note.envelope,
    `${getVoiceQuestionKey(note.inboxId)}:failed`,
    toAnswerBody({ text: sentence, personal: true }, note.envelope),
  );
}

export function explainFetchFailure(fetched: Exclude<FetchResult, { kind: 'file' }>, limitBytes: number): string {
  switch (fetched.kind) {
    case 'too-large':
      return say('voice.too-large', { limit: formatBytes(limitBytes) });
    case 'gone':
      return say('voice.gone');
    case 'away':
      return say('voice.not-fetched');
  }
}

export function explainTranscriptionFailure(
  result: Exclude<Transcription, { kind: 'heard' }>,
  limitBytes: number,
): string {
  if (result.kind === 'silent') return say('voice.silent');
  if (result.status === 413) return say('voice.too-large', { limit: formatBytes(limitBytes) });
  switch (result.reason) {
    case 'timeout':
      return say('voice.slow');
    case 'cut':
      return say('voice.garbled');
    case 'refused':
    case 'too-long':
      return say('voice.refused');
    case 'unauthorized':
    case 'model-unknown':
    case 'no-credit':
    case 'not-chat':
      return say('voice.misconfigured');
    case 'network':
    case 'server-error':
    case 'rate-limited':
      return say('voice.away');
  }
}

function quoteTranscript(transcript: string, line: string): string {
  return `${say('voice.heard')}\n${toCodeBlock(transcript)}\n${line}`;
}

function createSlotMessage(
  note: VoidedNote,
  key: string,
  answer: { readonly text: string; readonly buttons?: OutboundEnvelope['body']['buttons'] },
): OutboundEnvelope {
  const envelope: MessageEnvelope = note.envelope;
  const row = createControlMessage(envelope, key, toAnswerBody({ ...answer, personal: true }, envelope));
  return { ...row, slot: getVoiceQuestionKey(note.inboxId) };
}
