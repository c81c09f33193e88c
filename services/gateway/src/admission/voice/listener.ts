import { MAX_INBOUND_LENGTH } from '@signalbox/contracts/conversation/envelope';
import { makeStorable } from '@signalbox/contracts/storable';
import { SECOND_MS, abortAfter, waitAtMost } from '@signalbox/contracts/time';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { Transcriber, Transcription } from '@signalbox/models/transcription/transcriber';
import { runInBackground, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import type { ChallengeStore } from '@signalbox/plugins/plugin';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { storeFoundSecrets } from '../secrets/keep-secrets.ts';
import { extractSecrets, findChallenges } from '../secrets/sent-secrets.ts';
import type { Channel, FetchResult } from '../../channels/channel.ts';
import {
  createVoiceQuestion,
  explainFetchFailure,
  explainTranscriptionFailure,
  createFailureNotice,
  createVoidedQuestion,
} from './voice-answers.ts';
import {
  claimNote,
  failNote,
  storeTranscript,
  releaseNote,
  voidSuperseded,
  type ClaimedNote,
} from '../../rows/voice-notes.ts';

/*
 * A voice note: admitted (a waiting row) → claimed → fetched from its channel → transcribed → secrets removed
 * ─┬─ transcript shown with two buttons (asked) → the sender presses one (voice-press.ts) or writes, which voids it
 * └─ the sender learns why there is no transcript (failed)
 *
 * Transcript and question are stored in one transaction. A note whose process dies before that is claimed again.
 */

const POLL_MS = 500;
/** Limits memory: each note is held there while it is transcribed. */
const MAX_RUNNING = 4;
const FETCH_MS = 30 * SECOND_MS;
/** Claim time beyond fetching and transcribing, for storing the result. */
const STORE_MARGIN_MS = 30 * SECOND_MS;
/** After this many claims without a result, the note itself is assumed to crash the process. */
const MAX_TRIES = 4;
/** How long running transcriptions may continue while the gateway stops. */
const DRAIN_MS = 2 * SECOND_MS;

export interface ListenerDeps {
  readonly pool: Pool;
  readonly channels: readonly Channel[];
  readonly transcriber: Transcriber;
  readonly cipher: SecretSealer;
  readonly challenges: ChallengeStore;
  readonly wake: (chatKeys: readonly string[], traceId: string) => Promise<void>;
  readonly log: Log;
}

/** Transcribes voice notes, a few at a time, until it is closed. */
export class VoiceNoteTranscriber implements Closable {
  readonly #deps: ListenerDeps;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #loop: Closable;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
    this.#loop = startLoop({ name: 'voice', everyMs: POLL_MS, log: deps.log, step: () => this.#step() });
  }

  async close(): Promise<void> {
    await this.#loop.close();
    await waitAtMost(Promise.all(this.#running), DRAIN_MS);
    this.#stop.abort(new Error('the gateway is shutting down'));
    await Promise.all(this.#running);
  }

  async #step(): Promise<void> {
    const { pool, channels, transcriber, log } = this.#deps;
    await this.#voidSuperseded();
    const accounts = { channels: channels.map(({ name }) => name), bots: channels.map(({ bot }) => bot) };
    const leaseMs = FETCH_MS + transcriber.deadlineMs + STORE_MARGIN_MS;
    while (this.#running.size < MAX_RUNNING) {
      const note = await claimNote(pool, accounts, leaseMs);
      if (note === null) return;
      const work = this.#serve(note).finally(() => this.#running.delete(work));
      this.#running.add(work);
      runInBackground(log, 'voice note', work);
    }
  }

  /** Never rejects: a note whose result could not be stored is claimed again when this claim expires. */
  async #serve(note: ClaimedNote): Promise<void> {
    const { pool, log } = this.#deps;
    const { traceId, userKey } = note.envelope;
    try {
      await runInLanguage(note.language, () => this.#listen(note));
    } catch (error) {
      log.warn('voice note not settled, it is claimed again', { traceId, userKey, error });
      if (this.#stop.signal.aborted) await releaseNote(pool, note).catch(() => undefined); // while running, the claim simply expires
    }
  }

  async #listen(note: ClaimedNote): Promise<void> {
    const { channels, transcriber, log } = this.#deps;
    const { limitBytes } = transcriber;
    const channel = channels.find(({ name, bot }) => name === note.envelope.channel && bot === note.envelope.bot);
    const [file] = note.envelope.attachments ?? [];
    if (note.tries > MAX_TRIES || !file || !channel) return this.#fail(note, say('voice.broken'));
    if (channel.typing) runInBackground(log, 'typing', channel.typing(note.envelope.chatKey));
    const signal = AbortSignal.any([this.#stop.signal, abortAfter(FETCH_MS)]);
    const fetched: FetchResult = (await channel.fetchFile?.(file.ref, { limitBytes, signal })) ?? { kind: 'gone' };
    this.#stop.signal.throwIfAborted();
    if (fetched.kind !== 'file') return this.#fail(note, explainFetchFailure(fetched, limitBytes));
    const mimeType = file.mimeType ?? 'audio/ogg';
    const recording = { bytes: fetched.bytes, name: getFileName(mimeType), mimeType, language: note.language };
    const startedAt = performance.now();
    const result = await transcriber.transcribe(recording, this.#stop.signal);
    this.#report(note, result, performance.now() - startedAt);
    if (result.kind !== 'heard') return this.#fail(note, explainTranscriptionFailure(result, limitBytes));
    const transcript = cleanTranscript(result.text);
    if (transcript === '') return this.#fail(note, say('voice.silent'));
    if (transcript.length > MAX_INBOUND_LENGTH) return this.#fail(note, say('voice.too-long'));
    await this.#ask(note, channel, transcript);
  }

  /** Stores the transcript and asks the sender about it. Secrets are removed from it as from typed text. */
  async #ask(note: ClaimedNote, channel: Channel, heard: string): Promise<void> {
    const { pool, cipher, log } = this.#deps;
    const { attachments: _, reads: __, ...envelope } = note.envelope;
    const typed = { ...envelope, kind: 'text' as const, text: heard, named: true, album: null, whisper: false };
    const challenges = await findChallenges(pool, this.#deps.challenges, [typed]);
    const { update, secrets } = extractSecrets(cipher, { ...typed, attachments: [] }, challenges.get(typed.userKey));
    const isKept = await withTransaction(pool, async (db) => {
      if (!(await storeTranscript(db, note, update.text))) return false;
      await storeFoundSecrets(db, cipher, { envelope: note.envelope, secrets });
      await putOutbox(db, [createVoiceQuestion(note, update.text)]);
      return true;
    });
    if (!isKept) return;
    await this.#deps.wake([envelope.chatKey], envelope.traceId);
    const removed =
      secrets.isShown && envelope.messageId !== null && channel.remove?.(envelope.chatKey, envelope.messageId);
    if (removed) runInBackground(log, 'secret', removed);
  }

  async #fail(note: ClaimedNote, sentence: string): Promise<void> {
    const { pool, wake } = this.#deps;
    const isSettled = await withTransaction(pool, async (db) => {
      if (!(await failNote(db, note))) return false;
      await putOutbox(db, [createFailureNotice(note, sentence)]);
      return true;
    });
    if (isSettled) await wake([note.envelope.chatKey], note.envelope.traceId);
  }

  async #voidSuperseded(): Promise<void> {
    const { pool, wake } = this.#deps;
    const gone = await withTransaction(pool, async (db) => {
      const notes = await voidSuperseded(db);
      for (const note of notes)
        await runInLanguage(note.language, () => putOutbox(db, [createVoidedQuestion(note, note.transcript)]));
      return notes;
    });
    for (const { envelope } of gone) await wake([envelope.chatKey], envelope.traceId);
  }

  #report({ envelope, tries }: ClaimedNote, result: Transcription, durationMs: number): void {
    const { log } = this.#deps;
    const { traceId, userKey } = envelope;
    const facts = { traceId, userKey, tries, result: result.kind, durationMs: Math.round(durationMs) };
    if (result.kind === 'failed')
      log.warn('voice note not heard', { ...facts, reason: result.reason, status: result.status });
    else log.info('voice note heard', facts);
  }
}

/** Puts the transcript on one line without invisible characters, so that senders confirm exactly what they read. */
function cleanTranscript(text: string): string {
  return makeStorable(text)
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (sign) => (JOINERS.has(sign) ? sign : ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Zero-width joiners shape letters in many scripts; they hide no text. */
const JOINERS: ReadonlySet<string> = new Set(['\u200c', '\u200d']);

function getFileName(mimeType: string): string {
  const [type = ''] = mimeType.split(';');
  return `voice.${EXTENSIONS[type.trim().toLowerCase()] ?? 'ogg'}`;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/aac': 'm4a',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/webm': 'webm',
  'audio/flac': 'flac',
};
