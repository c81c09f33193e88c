import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { EncodedRow } from '@signalbox/gateway/channels/channel';
import { getText } from '@signalbox/gateway/channels/text/block';
import { cleanText, isBlank } from '@signalbox/gateway/channels/text/clean-text';
import { findCut } from '@signalbox/gateway/channels/text/cut';
import { toReceiptBlock, removeReceiptMarks } from '@signalbox/gateway/channels/text/receipt';
import { say } from '@signalbox/messages/say';
import type { PostboxMessage } from './client.ts';

/** What Postbox takes in one message, in UTF-16 units. */
const LIMIT = 1_000;
/** Room for a first line, so that sending a part again never moves text into another part. */
const ROOM = say('gateway.repeated').length + 1;
/** A message has to show something. */
const NOTHING = '…';

/** A message as Postbox takes it: as many as it needs, with the buttons under the last one. Texts are shown as they are written. */
export function encode({ text, receipts = [], buttons }: OutboundBody, row: EncodedRow): readonly PostboxMessage[] {
  // No text may look like a receipt: those are the runtime's.
  const whole = [removeReceiptMarks(cleanText(text)), ...(receipts.length > 0 ? [toReceiptText(receipts)] : [])].join(
    '\n\n',
  );
  const pieces = splitText(isBlank(whole) ? NOTHING : whole);
  return pieces.map((piece, place) => ({
    text: piece,
    buttons:
      place < pieces.length - 1
        ? []
        : buttons.map(({ label }, index) => ({ label, data: `b:${row.outboxId}:${index}` })),
  }));
}

/** The message with a line above it. */
export function putAbove(line: string, message: PostboxMessage): PostboxMessage {
  return { ...message, text: `${line}\n${message.text}` };
}

/** Reads the data of a button; null for what `encode` has not written. */
export function readButton(data: string): { readonly outboxId: string; readonly index: number } | null {
  const [, outboxId, index] = /^b:(\d{1,15}):(\d{1,2})$/.exec(data) ?? [];
  return outboxId === undefined ? null : { outboxId, index: Number(index) };
}

function toReceiptText(receipts: NonNullable<OutboundBody['receipts']>): string {
  const block = toReceiptBlock(receipts);
  return block.type === 'paragraph' ? getText(block.text) : '';
}

/** Pieces that fit, cut after a line or a word where that is possible. */
function splitText(text: string): readonly string[] {
  const most = LIMIT - ROOM;
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.length - start <= most ? text.length : findCut(text, start, start + most);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces.filter((piece) => !isBlank(piece));
}
