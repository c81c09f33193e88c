import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { EncodedRow } from '../../channel.ts';
import { cleanText, isBlank } from '../../text/clean-text.ts';
import { readBlocks } from '../../text/document.ts';
import { toReceiptBlock, removeReceiptMarks } from '../../text/receipt.ts';
import { type ReplyOption, toReplyOptions } from './button.ts';
import { escapeMarks, formatSections } from './format.ts';
import { packSections } from './split.ts';

type Content =
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'buttons' | 'list'; readonly text: string; readonly choices: readonly ReplyOption[] }
  | { readonly form: 'file'; readonly artifactId: string; readonly name: string };

/** The content of one send. `replyTo` is the message to reply to, or null. */
export type MessagePart = Content & { readonly replyTo: string | null };

/** Meta's limit per message, in characters. */
const MAX_TEXT_LENGTH = 4_096;
const MAX_INTERACTIVE_LENGTH = 1_024;
/** Sent instead of an empty text. */
const NOTHING = '…';

/** Encodes a message: texts, buttons under the last text, files. Up to three short buttons stay buttons, others become lists of ten. */
export function encodeMessage(body: OutboundBody, { outboxId }: EncodedRow): readonly MessagePart[] {
  const { buttons, files = [], replyTo = null } = body;
  // Leaves room for a first line, so that sending a part again never moves text into another part.
  const room = say('gateway.repeated').length + 1;
  const each = MAX_TEXT_LENGTH - room;
  const texts = toTexts(body, { each, last: buttons.length > 0 ? MAX_INTERACTIVE_LENGTH - room : each });
  const plain = buttons.length > 0 ? texts.slice(0, -1) : texts;
  const contents: readonly Content[] = [
    ...plain.map((text): Content => ({ form: 'text', text })),
    ...(buttons.length > 0 ? toMenus(body, outboxId, texts.at(-1) ?? NOTHING) : []),
    ...files.map(({ artifactId, name }): Content => ({ form: 'file', artifactId, name })),
  ];
  return contents.map((content, place) => ({ ...content, replyTo: place === 0 ? replyTo : null }));
}

/** Puts the text above the buttons; further lists say that they continue. */
function toMenus({ buttons }: OutboundBody, outboxId: number, text: string): readonly Content[] {
  const { form, groups } = toReplyOptions(buttons, outboxId);
  return groups.map((choices, place) => ({
    form: form === 'buttons' ? 'buttons' : 'list',
    text: place === 0 ? text : say('gateway.more-choices'),
    choices,
  }));
}

function toTexts(
  { text, receipts = [], buttons, isExact = false }: OutboundBody,
  limits: { readonly each: number; readonly last: number },
): readonly string[] {
  // An approval card shows each value unchanged and marks its lines as values.
  const isWhole = isExact || buttons.some(({ act }) => act !== undefined);
  const source = isWhole ? cleanText(text) : removeReceiptMarks(cleanText(text));
  const blocks = [...readBlocks(source), ...(receipts.length > 0 ? [toReceiptBlock(receipts)] : [])];
  const sections = formatSections(blocks);
  if (sections.every((section) => isBlank(section.text)))
    return packSections([{ text: isBlank(source) ? NOTHING : escapeMarks(source), isCode: false }], limits);
  return packSections(sections, limits);
}
