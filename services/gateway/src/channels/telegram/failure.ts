import { GrammyError, HttpError } from 'grammy';
import type { SendResult } from '../channel.ts';
import { classifyRequestFailure } from '../http/no-answer.ts';
import { toChatKey } from './chat-key.ts';

export type SendFailure = Exclude<SendResult, { kind: 'sent' }>;

/** Thrown when a proxy's error page arrives instead of an answer of the Bot API. */
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

/** Classifies a failed send. The descriptions are Telegram's, from tdlib's `Client.cpp`. */
export function classifyFailure(error: unknown): SendFailure {
  if (error instanceof GrammyError) return classifyAnswer(error);
  const inner = error instanceof HttpError ? error.error : error;
  if (inner instanceof ServerDown) return { kind: 'busy', detail: inner.message };
  return classifyRequestFailure(inner);
}

/** True when Telegram rejected only the entities of a text. */
export function isEntityProblem(failure: SendResult): boolean {
  return failure.kind === 'rejected' && /entit/i.test(failure.detail);
}

/** Codes for an unknown method, from a Bot API server or a proxy. */
export const UNKNOWN_METHOD_CODES = new Set([404, 405, 501]);
/** Replies of older servers that do not know rich messages. */
const RICH_UNKNOWN = /method not found|not supported|unsupported|message text is empty/i;

/** Refusals that another form of the message would not change. */
const UNRELATED_TO_FORM =
  /message is not modified|right|forbidden|restricted|closed|topic|thread|not_admin|participant|ephemeral|replied/i;

/** Says why the server refused the rich form; null for other failures. `forGood`: the server supports no rich messages. */
export function findRichRefusal(error: unknown): { readonly detail: string; readonly forGood: boolean } | null {
  if (error instanceof HttpError && error.error instanceof ServerDown) {
    // A proxy's error may be temporary, so it is not remembered.
    const { status, message } = error.error;
    return UNKNOWN_METHOD_CODES.has(status) ? { detail: message, forGood: false } : null;
  }
  if (!(error instanceof GrammyError)) return null;
  const { error_code: code, description: detail } = error;
  if (UNKNOWN_METHOD_CODES.has(code)) return { detail, forGood: true };
  if (classifyAnswer(error).kind !== 'rejected' || UNRELATED_TO_FORM.test(detail)) return null;
  return { detail, forGood: RICH_UNKNOWN.test(detail) };
}

function classifyAnswer(error: GrammyError): SendFailure {
  const { error_code: code, description, parameters } = error;
  if (parameters.migrate_to_chat_id !== undefined) {
    return { kind: 'moved', chatKey: toChatKey(parameters.migrate_to_chat_id) };
  }
  if (code === 429) return { kind: 'wait', retryAfterMs: (parameters.retry_after ?? 1) * 1_000 };
  if (code >= 500) return { kind: 'busy', detail: description };
  // The token was revoked. The listener notices it too; until it is fixed no message is given up.
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
