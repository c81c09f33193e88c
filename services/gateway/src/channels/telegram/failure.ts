import { GrammyError, HttpError } from 'grammy';
import type { Sent } from '../channel.ts';
import { readNoAnswer } from '../http/no-answer.ts';
import { toChatKey } from './chat-key.ts';

export type Failure = Exclude<Sent, { kind: 'sent' }>;

/** The server answered without an answer of the Bot API: a proxy's error page. */
export class ServerDown extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.name = 'ServerDown';
    this.status = status;
  }
}

/** Telegram's error code of a failed call; null when there was no answer. */
export function readErrorCode(error: unknown): number | null {
  return error instanceof GrammyError ? error.error_code : null;
}

/** Sorts a failed send by what it means for us. The descriptions are Telegram's, in tdlib's `Client.cpp`. */
export function classify(error: unknown): Failure {
  if (error instanceof GrammyError) return classifyAnswer(error);
  const inner = error instanceof HttpError ? error.error : error;
  if (inner instanceof ServerDown) return { kind: 'busy', detail: inner.message };
  return readNoAnswer(inner);
}

/** Whether Telegram could not read the entities of a text that is fine otherwise. */
export function isEntityProblem(failure: Sent): boolean {
  return failure.kind === 'rejected' && /entit/i.test(failure.detail);
}

/** Answers of something that does not know the method at all: of a Bot API server, or of a proxy in front of it. */
export const UNKNOWN_METHOD = new Set([404, 405, 501]);
/** What an older server says: it looks for the text of the message, because it does not know what stands there instead. */
const NOT_KNOWN = /method not found|not supported|unsupported|message text is empty/i;

/** What the same words in another form would not change. */
const NOT_ABOUT_FORM =
  /message is not modified|right|forbidden|restricted|closed|topic|thread|not_admin|participant|ephemeral|replied/i;

/**
 * Why a rich message was refused as such, so that the same as text may go through; null for any other failure. `forGood` when
 * the server takes none at all.
 */
export function readRichRefusal(error: unknown): { readonly detail: string; readonly forGood: boolean } | null {
  if (error instanceof HttpError && error.error instanceof ServerDown) {
    // It may be gone in a moment, so it is not remembered.
    const { status, message } = error.error;
    return UNKNOWN_METHOD.has(status) ? { detail: message, forGood: false } : null;
  }
  if (!(error instanceof GrammyError)) return null;
  const { error_code: code, description: detail } = error;
  if (UNKNOWN_METHOD.has(code)) return { detail, forGood: true };
  if (classifyAnswer(error).kind !== 'rejected' || NOT_ABOUT_FORM.test(detail)) return null;
  return { detail, forGood: NOT_KNOWN.test(detail) };
}

function classifyAnswer(error: GrammyError): Failure {
  const { error_code: code, description, parameters } = error;
  if (parameters.migrate_to_chat_id !== undefined) {
    return { kind: 'moved', chatKey: toChatKey(parameters.migrate_to_chat_id) };
  }
  if (code === 429) return { kind: 'wait', retryAfterMs: (parameters.retry_after ?? 1) * 1_000 };
  if (code >= 500) return { kind: 'busy', detail: description };
  // A revoked token: what listens notices too, and it is tried again; until then nothing is given up.
  if (code === 401 || code === 404) return { kind: 'busy', detail: description };
  if (code === 403) return { kind: 'blocked', reason: description };
  if (/chat not found|user not found|PEER_ID_INVALID|group chat was deactivated/i.test(description)) {
    return { kind: 'blocked', reason: description };
  }
  if (/message to (edit|delete) not found|message can't be edited|MESSAGE_ID_INVALID/i.test(description)) {
    return { kind: 'gone' };
  }
  return { kind: 'rejected', detail: description };
}
