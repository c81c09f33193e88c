import type { MessageEnvelope, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { formatBytes } from '@signalbox/contracts/file-name';
import { codeBlock } from '@signalbox/contracts/markdown';
import { say } from '@signalbox/messages/say';
import type { Transcription } from '@signalbox/models/transcription/transcriber';
import { controlLine } from '../control-line.ts';
import type { Fetched } from '../../channels/channel.ts';
import { toBody } from '../../commands/answer.ts';
import { questionKey, type VoidedNote } from './voice-notes.ts';

/** Places of the buttons of a question. */
export const YES = 0;

/** Asks whether to act on what was heard. What is shown is what will be acted on, character by character. */
export function askAbout(note: VoidedNote, heard: string): OutboundEnvelope {
  const buttons = [say('voice.yes'), say('voice.no')].map((label) => ({ label, value: label }));
  return inSlot(note, questionKey(note.inboxId), { text: quote(heard, say('voice.ask')), buttons });
}

/** The same question without its buttons: it was superseded, and nothing came of it. */
export function withdraw(note: VoidedNote, heard: string): OutboundEnvelope {
  const row = inSlot(note, `${questionKey(note.inboxId)}:void`, { text: quote(heard, say('voice.void')) });
  return { ...row, body: { ...row.body, onlyChanges: true } };
}

/** Tells why nothing can be made of a note, and what to do instead. */
export function tellFailure(note: VoidedNote, sentence: string): OutboundEnvelope {
  return controlLine(
    note.envelope,
    `${questionKey(note.inboxId)}:failed`,
    toBody({ text: sentence, personal: true }, note.envelope),
  );
}

/** What a person reads when a note could not be fetched from its channel. */
export function sayUnfetched(fetched: Exclude<Fetched, { kind: 'file' }>, limitBytes: number): string {
  switch (fetched.kind) {
    case 'too-large':
      return say('voice.too-large', { limit: formatBytes(limitBytes) });
    case 'gone':
      return say('voice.gone');
    case 'away':
      return say('voice.not-fetched');
  }
}

/** What a person reads when a note could not be turned into text. */
export function sayUnheard(result: Exclude<Transcription, { kind: 'heard' }>, limitBytes: number): string {
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

function quote(heard: string, line: string): string {
  return `${say('voice.heard')}\n${codeBlock(heard)}\n${line}`;
}

function inSlot(
  note: VoidedNote,
  key: string,
  answer: { readonly text: string; readonly buttons?: OutboundEnvelope['body']['buttons'] },
): OutboundEnvelope {
  const envelope: MessageEnvelope = note.envelope;
  const row = controlLine(envelope, key, toBody({ ...answer, personal: true }, envelope));
  return { ...row, slot: questionKey(note.inboxId) };
}
