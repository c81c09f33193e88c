import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { redactDraft } from '@signalbox/safety/redact/draft';
import type { Redis } from '../redis.ts';
import { subscribe } from './subscribe.ts';

/** Redis pub/sub channel of drafts, after the key prefix. Drafts are not stored, so absent subscribers never get them. */
const CHANNEL = 'draft';

/** Maximum length of a draft's text in UTF-16 units: Telegram's limit. */
export const MAX_DRAFT_LENGTH = 4_096;

/** A preview of an answer while the model writes it. Lost or late drafts do no harm. */
export const Draft = z.object({
  chatKey: z.string().min(1),
  userKey: z.string().min(1),
  /** Id of the turn. Turn ids sort by time: a draft of an older turn never replaces a draft of a newer turn. */
  turnId: z.string().min(1),
  /** The channel's id of the draft, constant within a turn: a positive 32-bit number. */
  draftId: z.number().int().min(1).max(2_147_483_647),
  /** The number of the draft within its turn, which grows. */
  seq: z.number().int().min(1),
  /** The whole text to show now, as markdown; empty when `final`. */
  text: z.string().max(MAX_DRAFT_LENGTH),
  /** True when the answer was sent or given up, so that the draft must disappear. */
  final: z.boolean(),
});
export type Draft = z.infer<typeof Draft>;

/** Returns the channel's id for a turn's draft. */
export function toDraftId(turnId: string): number {
  return createHash('sha1').update(turnId).digest().readInt32BE(0) & 0x7f_ff_ff_ff || 1;
}

/** The start of a long draft moves by this length at a time, so that the text stands still in between. */
const STEP = MAX_DRAFT_LENGTH / 4;
/** The text before a draft whose start was cut. */
const ELLIPSIS = '…\n\n';
/** Length kept free for the ellipsis and for a line that opens a code block again. */
const HEAD_ROOM = 64;

/**
 * Cuts a text to its newest part that fits a draft, starting at a paragraph, a line or a word. While the text grows,
 * the start stays for about a thousand units and then jumps. A code block that was cut is opened again.
 */
export function cutDraft(text: string): string {
  if (text.length <= MAX_DRAFT_LENGTH) return text;
  const from = Math.ceil((text.length - MAX_DRAFT_LENGTH + HEAD_ROOM) / STEP) * STEP;
  const start = from + findStart(text.slice(from, from + STEP));
  return `${ELLIPSIS}${reopenCode(text.slice(0, start))}${text.slice(start)}`;
}

/** Publishes drafts with their secrets redacted. Never throws and never waits for a connection. */
export function createDraftPublisher(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly log: Log;
}): (draft: Draft) => Promise<void> {
  const { redis, prefix, log } = deps;
  return async (draft) => {
    if (redis.status !== 'ready') return;
    await redis
      .publish(`${prefix}${CHANNEL}`, JSON.stringify({ ...draft, text: redactDraft(draft.text) }))
      .catch((error: unknown) =>
        // Only the preview is lost; the message itself is still sent.
        log.debug('draft not published', { chatKey: draft.chatKey, turnId: draft.turnId, error }),
      );
  };
}

/** Calls `onDraft` for every draft once it has resolved, on its own connection, until closed. Other messages are ignored. */
export function subscribeToDrafts(options: {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly log: Log;
  readonly onDraft: (draft: Draft) => void;
}): Promise<Closable> {
  return subscribe({ ...options, channels: [CHANNEL], schema: Draft, onMessage: options.onDraft });
}

/** Finds the first paragraph, else line, else word, else character in the range where a draft may start. Returns its offset. */
function findStart(range: string): number {
  for (const border of ['\n\n', '\n', ' ']) {
    const at = range.indexOf(border);
    if (at !== -1) return at + border.length;
  }
  return /^[\uDC00-\uDFFF]/.test(range) ? 1 : 0; // the start must not be inside a surrogate pair
}

/** Returns the opening line of the code block in which a text ends; empty outside of code. */
function reopenCode(text: string): string {
  let open: { readonly line: string; readonly mark: string } | null = null;
  for (const [match, mark = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,}).*$/gm)) {
    const line = match.trim();
    if (open === null) open = { line, mark };
    else if (line === mark && mark.startsWith(open.mark)) open = null;
  }
  return open === null || open.line.length >= HEAD_ROOM - ELLIPSIS.length ? '' : `${open.line}\n`;
}
