import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { EncodedRow } from '../../channel.ts';
import { createKeyboard } from './button.ts';
import { toTarget } from '../chat-key.ts';
import { cleanText, isBlank, isRightToLeft } from '../../text/clean-text.ts';
import { escapeLinks } from '../format/escape-links.ts';
import { readBlocks } from '../../text/document.ts';
import { formatBlocks, toPlainText, type FormattedText } from '../format/format.ts';
import { toRichBlocks, toRichParagraph, type RichBlock } from '../rich/rich-block.ts';
import { cutSections } from '../rich/rich-cut.ts';
import { toReceiptBlock, withoutMark } from '../../text/receipt.ts';
import { fitShape } from '../rich/rich-shape.ts';
import { isBetterRich } from '../rich/rich-choice.ts';
import { MAX_ENTITIES, MAX_MESSAGE_LENGTH, splitText, type MessageText } from '../format/split.ts';

/** What one message shows: as text with entities, or as blocks. */
export type TelegramContent =
  | (MessageText & { readonly form: 'text' })
  | {
      readonly form: 'rich';
      readonly blocks: readonly RichBlock[];
      /** Whether it is laid out from right to left. */
      readonly rightToLeft: boolean;
    };

/** What one send or edit carries. */
export type TelegramPart = TelegramContent & {
  readonly keyboard: ReturnType<typeof createKeyboard>;
  /** The message that this one answers, or null. */
  readonly replyTo: number | null;
  /** The reader's client begins an answer to it. */
  readonly asksReply?: boolean;
};

/** Leaves room for a first line, so that sending a part again never moves text into another part. */
const MAX_PART_LENGTH = MAX_MESSAGE_LENGTH - say('gateway.repeated').length - 1;

/** A message as Telegram takes it: as many parts as it needs, buttons under the last one. */
export function encode(body: OutboundBody, row: EncodedRow): readonly TelegramPart[] {
  // An action that waits for a decision is never folded: the person sees all of it when they press.
  const isExact = body.isExact === true || body.buttons.some(({ act }) => act !== undefined);
  const contents = encodeText(body, row, isExact);
  const keyboard = createKeyboard(body.buttons, row.outboxId);
  const replyTo = body.replyTo && /^\d+$/.test(body.replyTo) ? Number(body.replyTo) : null;
  return contents.map((content, index) => ({
    ...content,
    keyboard: index === contents.length - 1 ? keyboard : [],
    replyTo: index === 0 ? replyTo : null,
    ...(body.asksReply && index === contents.length - 1 ? { asksReply: true } : {}),
  }));
}

/** The part with a line above it. */
export function putAbove(line: string, part: TelegramPart): TelegramPart {
  if (part.form === 'rich') return { ...part, blocks: [toRichParagraph(line), ...part.blocks] };
  const shift = line.length + 1;
  const entities = part.entities.map((one) => ({ ...one, offset: one.offset + shift }));
  return { ...part, text: `${line}\n${part.text}`, entities };
}

/** The text in the form that suits it; from `simpleFrom` on as text, whatever suits it. */
function encodeText(
  { text, receipts = [] }: Pick<OutboundBody, 'text' | 'receipts'>,
  { chatKey, simpleFrom }: EncodedRow,
  isExact: boolean,
): readonly TelegramContent[] {
  // A card shows each value as it is, and marks its lines as those of a value.
  const source = isExact ? cleanText(text) : withoutMark(cleanText(text));
  const blocks = [...readBlocks(source), ...(receipts.length > 0 ? [toReceiptBlock(receipts)] : [])];
  const formatted = formatBlocks(blocks);
  const inGroup = toTarget(chatKey).chatId < 0;
  const toTexts = (whole: FormattedText): readonly TelegramContent[] =>
    splitText(escapeLinks(whole, { inGroup }), MAX_PART_LENGTH).map((part) => ({ ...part, form: 'text' }));

  if (isBlank(formatted.text)) return toTexts(toPlainText(source));
  const isBetter = isBetterRich(blocks, !isExact);
  if (simpleFrom === 0 || !(isBetter || isLong(formatted))) return toTexts(formatted);
  const sections = cutSections(fitShape(blocks));
  // Many short lines make more rich messages than ordinary ones.
  if (!isBetter && sections.length > 1) {
    const texts = toTexts(formatted);
    if (texts.length <= sections.length) return texts;
  }
  const rightToLeft = isRightToLeft(formatted.text);
  const rich = sections
    .slice(0, simpleFrom ?? sections.length)
    .map((section): TelegramContent => ({ form: 'rich', blocks: toRichBlocks(section, !isExact), rightToLeft }));
  return [...rich, ...toTexts(formatBlocks(sections.slice(rich.length).flat()))];
}

/** Whether it would take more than one ordinary message. */
function isLong({ text, entities }: FormattedText): boolean {
  return text.length > MAX_PART_LENGTH || entities.length > MAX_ENTITIES;
}
