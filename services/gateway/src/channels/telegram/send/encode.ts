import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { EncodedRow } from '../../channel.ts';
import { createKeyboard } from './button.ts';
import { toTarget } from '../chat-key.ts';
import { cleanText, isBlank, isRightToLeft } from '../../text/clean-text.ts';
import { escapeLinks } from '../format/escape-links.ts';
import { readBlocks } from '../../text/document.ts';
import { formatBlocks, toPlainText, type FormattedText } from '../format/format.ts';
import { needsRichMessage, toRichBlocks, toRichParagraph, type RichBlock } from '../rich/rich-block.ts';
import { splitIntoSections } from '../rich/rich-cut.ts';
import { toReceiptBlock, removeReceiptMarks } from '../../text/receipt.ts';
import { fitBlocks } from '../rich/rich-shape.ts';
import { MAX_ENTITIES, MAX_MESSAGE_LENGTH, splitText, type MessageText } from '../format/split.ts';

/** The content of one message: text with entities, or blocks. */
export type TelegramContent =
  | (MessageText & { readonly form: 'text' })
  | {
      readonly form: 'rich';
      readonly blocks: readonly RichBlock[];
      readonly rightToLeft: boolean;
    };

/** What one send or edit shows. */
export type TelegramPart = TelegramContent & {
  readonly keyboard: ReturnType<typeof createKeyboard>;
  /** The message to reply to, or null. */
  readonly replyTo: number | null;
  /** Makes the reader's client start a reply. */
  readonly asksReply?: boolean;
};

/** A file sent as a document. Its `caption` is empty, except for a file that may arrive twice. */
export type TelegramFile = Readonly<Record<'artifactId' | 'name' | 'caption', string>> & { readonly form: 'file' };

/** Leaves room for a first line, so that sending a part again never moves text into another part. */
const MAX_PART_LENGTH = MAX_MESSAGE_LENGTH - say('gateway.repeated').length - 1;

/** Encodes a message in as many parts as it needs, with buttons under the last part. */
export function encodeMessage(body: OutboundBody, row: EncodedRow): readonly TelegramPart[] {
  // An action that waits for a decision is never folded, so that the person sees all of it.
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

/** Encodes the files of a message as parts that follow its texts. */
export function encodeFiles({ files = [] }: OutboundBody): readonly TelegramFile[] {
  return files.map(({ artifactId, name }) => ({ form: 'file', artifactId, name, caption: '' }));
}

export function addLineAbove(line: string, part: TelegramPart): TelegramPart {
  if (part.form === 'rich') return { ...part, blocks: [toRichParagraph(line), ...part.blocks] };
  const shift = line.length + 1;
  const entities = part.entities.map((one) => ({ ...one, offset: one.offset + shift }));
  return { ...part, text: `${line}\n${part.text}`, entities };
}

/** Encodes the text in its best form; from part `simpleFrom` on in the simple form. */
function encodeText(
  { text, receipts = [] }: Pick<OutboundBody, 'text' | 'receipts'>,
  { chatKey, simpleFrom }: EncodedRow,
  isExact: boolean,
): readonly TelegramContent[] {
  // An approval card shows each value unchanged and marks its lines as values.
  const source = isExact ? cleanText(text) : removeReceiptMarks(cleanText(text));
  const blocks = [...readBlocks(source), ...(receipts.length > 0 ? [toReceiptBlock(receipts)] : [])];
  const formatted = formatBlocks(blocks);
  const inGroup = toTarget(chatKey).chatId < 0;
  const toTexts = (whole: FormattedText): readonly TelegramContent[] =>
    splitText(escapeLinks(whole, { inGroup }), MAX_PART_LENGTH).map((part) => ({ ...part, form: 'text' }));

  if (isBlank(formatted.text)) return toTexts(toPlainText(source));
  const isBetter = needsRichMessage(blocks, !isExact);
  const isLong = formatted.text.length > MAX_PART_LENGTH || formatted.entities.length > MAX_ENTITIES;
  if (simpleFrom === 0 || !(isBetter || isLong)) return toTexts(formatted);
  const sections = splitIntoSections(fitBlocks(blocks));
  // Many short lines would need more rich messages than plain ones.
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
