import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { redactDraft } from '@signalbox/safety/redact/draft';
import { parseJson } from '@signalbox/contracts/system-error';
import { closeRedis, openRedis, type Redis } from '../redis.ts';

/** Redis pub/sub channel of drafts, behind the key prefix. Nothing of it is stored: who does not listen has missed it. */
const CHANNEL = 'draft';

/** Most text of a draft, in UTF-16 units: what Telegram shows of one. */
export const MAX_DRAFT_LENGTH = 4_096;

/** What is being written for a person, before it is a message. Losing one, or getting it late, is harmless. */
export const Draft = z.object({
  chatKey: z.string().min(1),
  userKey: z.string().min(1),
  /** Ids of turns sort by time: the draft of an older turn never replaces that of a newer one. */
  turnId: z.string().min(1),
  /** The channel's name for it, the same for the whole turn: a positive 32-bit number. */
  draftId: z.number().int().min(1).max(2_147_483_647),
  /** Grows with each draft of the turn. */
  seq: z.number().int().min(1),
  /** Markdown, all that is to be shown now; empty when `final`. */
  text: z.string().max(MAX_DRAFT_LENGTH),
  /** What was being written is written, or given up: nothing of it may be shown any more. */
  final: z.boolean(),
});
export type Draft = z.infer<typeof Draft>;

/** The channel's name for a turn's draft. */
export function draftIdOf(turnId: string): number {
  return createHash('sha1').update(turnId).digest().readInt32BE(0) & 0x7f_ff_ff_ff || 1;
}

/** How far the start of a long draft moves at once, so that its top stands still for a while. */
const STEP = MAX_DRAFT_LENGTH / 4;
/** Above what is left of a long text. */
const ELLIPSIS = '…\n\n';
/** Room for the line above and for a line that opens code again. */
const HEAD_ROOM = 64;

/**
 * The newest part of a text that a draft has room for, beginning with a paragraph, a line or a word. While the text grows,
 * the beginning stays where it is for about a thousand units and then jumps. Code that was cut is opened again.
 */
export function cutDraft(text: string): string {
  if (text.length <= MAX_DRAFT_LENGTH) return text;
  const from = Math.ceil((text.length - MAX_DRAFT_LENGTH + HEAD_ROOM) / STEP) * STEP;
  const start = from + beginning(text.slice(from, from + STEP));
  return `${ELLIPSIS}${openFence(text.slice(0, start))}${text.slice(start)}`;
}

/** Publishes what is being written, without its secrets. Never throws and never waits for a connection. */
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
        // Only a preview is lost: the message itself comes all the same.
        log.debug('draft not published', { chatKey: draft.chatKey, turnId: draft.turnId, error }),
      );
  };
}

/** Hears every draft from the time it resolves, on a connection of its own, until closed. What is not a draft is left out. */
export async function listenToDrafts(options: {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly log: Log;
  readonly hear: (draft: Draft) => void;
}): Promise<Closable> {
  const redis = openRedis(options.redisUrl, options.log, 0);
  redis.on('message', (_channel: string, raw: string) => {
    const draft = Draft.safeParse(parseJson(raw)).data;
    if (draft) options.hear(draft);
    else options.log.debug('unreadable draft', { length: raw.length });
  });
  await redis.subscribe(`${options.prefix}${CHANNEL}`);
  return { close: () => closeRedis(redis) };
}

/** Where, in the stretch in which a draft has to begin, a paragraph begins, else a line, else a word, else any character. */
function beginning(stretch: string): number {
  for (const border of ['\n\n', '\n', ' ']) {
    const at = stretch.indexOf(border);
    if (at !== -1) return at + border.length;
  }
  return /^[\uDC00-\uDFFF]/.test(stretch) ? 1 : 0; // never half a character
}

/** The line that opens the code block in which this text ends, or nothing. */
function openFence(text: string): string {
  let open: { readonly line: string; readonly mark: string } | null = null;
  for (const [found, mark = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,}).*$/gm)) {
    const line = found.trim();
    if (open === null) open = { line, mark };
    else if (line === mark && mark.startsWith(open.mark)) open = null;
  }
  return open === null || open.line.length >= HEAD_ROOM - ELLIPSIS.length ? '' : `${open.line}\n`;
}
