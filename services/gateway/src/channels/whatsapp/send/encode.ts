import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { EncodedRow } from '../../channel.ts';
import { cleanText, isBlank } from '../../text/clean-text.ts';
import { readBlocks } from '../../text/document.ts';
import { toReceiptBlock, removeReceiptMarks } from '../../text/receipt.ts';
import { type Choice, toChoices } from './button.ts';
import { escapeMarks, formatStretches } from './format.ts';
import { splitStretches } from './split.ts';

/** What one message shows. */
type Content =
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'buttons' | 'list'; readonly text: string; readonly choices: readonly Choice[] }
  | { readonly form: 'file'; readonly artifactId: string; readonly name: string };

/** What one send carries. `replyTo`: the message that it answers, or null. */
export type WhatsAppPart = Content & { readonly replyTo: string | null };

/** What Meta takes in one message, in characters. */
const MAX_TEXT_LENGTH = 4_096;
const MAX_INTERACTIVE_LENGTH = 1_024;
/** A message has to show something. */
const NOTHING = '…';

/**
 * A message as WhatsApp takes it: texts, then the buttons under the end of the last one, then files. Three buttons at most are buttons;
 * more, and longer ones, are lists of ten.
 */
export function encode(body: OutboundBody, { outboxId }: EncodedRow): readonly WhatsAppPart[] {
  const { buttons, files = [], replyTo = null } = body;
  // Room for a first line, so that sending a part again never moves text into another part.
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

/** The buttons with the text above them; lists after the first say that they go on. */
function toMenus({ buttons }: OutboundBody, outboxId: number, text: string): readonly Content[] {
  const { form, groups } = toChoices(buttons, outboxId);
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
  // A card shows each value as it is, and marks its lines as those of a value.
  const isWhole = isExact || buttons.some(({ act }) => act !== undefined);
  const source = isWhole ? cleanText(text) : removeReceiptMarks(cleanText(text));
  const blocks = [...readBlocks(source), ...(receipts.length > 0 ? [toReceiptBlock(receipts)] : [])];
  const stretches = formatStretches(blocks);
  if (stretches.every((stretch) => isBlank(stretch.text)))
    return splitStretches([{ text: isBlank(source) ? NOTHING : escapeMarks(source), isCode: false }], limits);
  return splitStretches(stretches, limits);
}
