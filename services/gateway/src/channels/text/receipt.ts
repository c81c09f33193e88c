import type { Receipt } from '@signalbox/contracts/conversation/envelope';
import type { Block, Span } from './block.ts';

/** The mark at the start of every receipt; no other text may contain it. */
const RECEIPT_MARK = '🧾';
/** Replaces the mark in other texts. */
const NO_MARK = '▫';

/** The mark as a character and as an HTML entity. */
const MARKS = /🧾|&#(?:x0*1f9fe|0*129534);/giu;
/** Look-alikes of the mark at the start of a line, also after bullets, quotes and invisible characters. */
const LOOK_ALIKES =
  /^([^\S\n]{0,9}(?:[\p{P}\p{S}\p{Default_Ignorable_Code_Point}][^\S\n]{0,4}){0,9}?)(?:[📃📜]|&#(?:x0*1f4(?:c3|dc)|0*(?:128195|128220));)/gimu;

/** Replaces everything in a text that looks like the mark of a receipt. */
export function removeReceiptMarks(text: string): string {
  return text.replace(MARKS, NO_MARK).replace(LOOK_ALIKES, `$1${NO_MARK}`);
}

/** Turns receipts into a block with one line each: mark, underlined action and note. */
export function toReceiptBlock(receipts: readonly Receipt[]): Block {
  return { type: 'paragraph', text: receipts.flatMap(toLine) };
}

function toLine({ what, note }: Receipt, place: number): readonly Span[] {
  return [
    { text: `${place === 0 ? '' : '\n'}${RECEIPT_MARK} `, styles: [] },
    { text: what, styles: [{ type: 'underline' }] },
    ...(note === '' ? [] : [{ text: ` · ${note}`, styles: [] }]),
  ];
}
