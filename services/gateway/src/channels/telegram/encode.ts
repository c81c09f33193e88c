import type { OutboundBody } from '@signalbox/shared/contracts/envelope';
import { REPEATED } from '../../words.ts';
import { createKeyboard } from './button.ts';
import { formatMarkdown, plainText } from './format.ts';
import { MESSAGE_LIMIT, splitText, type MessageText } from './split.ts';

/** What one sendMessage or editMessageText carries. */
export type TelegramPart = MessageText & {
  readonly keyboard: ReturnType<typeof createKeyboard>;
  /** The message that this one answers, or null. */
  readonly replyTo: number | null;
};

/** Leaves room for a first line, so that sending a part again never moves text into another part. */
const PART_LIMIT = MESSAGE_LIMIT - REPEATED.length - 1;

/** A message as Telegram takes it: as many parts as it needs, buttons under the last one. */
export function encode(body: OutboundBody, outboxId: number): readonly TelegramPart[] {
  const parts = splitText(formatMarkdown(body.text), PART_LIMIT);
  const shown = parts.length > 0 ? parts : splitText(plainText(''));
  const keyboard = createKeyboard(body.buttons, outboxId);
  const replyTo = body.replyTo && /^\d+$/.test(body.replyTo) ? Number(body.replyTo) : null;
  return shown.map((part, index) => ({
    ...part,
    keyboard: index === shown.length - 1 ? keyboard : [],
    replyTo: index === 0 ? replyTo : null,
  }));
}

/** The part with a line above it. */
export function putAbove(line: string, part: TelegramPart): TelegramPart {
  const shift = line.length + 1;
  const entities = part.entities.map((one) => ({ ...one, offset: one.offset + shift }));
  return { ...part, text: `${line}\n${part.text}`, entities };
}
