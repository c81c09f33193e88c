import type { Receipt } from '@signalbox/contracts/conversation/envelope';
import type { Block, Span } from './block.ts';

/** Stands at the beginning of every receipt, and nowhere else in anything that we send. */
const MARK = '🧾';
/** What takes its place in a text. */
const NO_MARK = '▫';

/** The mark, as it is and as markdown may spell it. */
const MARKS = /🧾|&#(?:x0*1f9fe|0*129534);/giu;
/** Symbols that look like the mark at the beginning of a line, also behind bullets, quotation signs and what is not seen. */
const LOOK_ALIKES =
  /^([^\S\n]{0,9}(?:[\p{P}\p{S}\p{Default_Ignorable_Code_Point}][^\S\n]{0,4}){0,9}?)(?:[📃📜]|&#(?:x0*1f4(?:c3|dc)|0*(?:128195|128220));)/gimu;

/** A text without anything that could be taken for the mark of a receipt. */
export function withoutMark(text: string): string {
  return text.replace(MARKS, NO_MARK).replace(LOOK_ALIKES, `$1${NO_MARK}`);
}

/** Receipts as a block: the mark, what happened underlined, then when and how to open it. One line each. */
export function toReceiptBlock(receipts: readonly Receipt[]): Block {
  return { type: 'paragraph', text: receipts.flatMap(toLine) };
}

function toLine({ what, note }: Receipt, place: number): readonly Span[] {
  return [
    { text: `${place === 0 ? '' : '\n'}${MARK} `, styles: [] },
    { text: what, styles: [{ type: 'underline' }] },
    ...(note === '' ? [] : [{ text: ` · ${note}`, styles: [] }]),
  ];
}
