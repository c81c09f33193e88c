const BEYOND_ASCII = /[\u0080-\uffff]/;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

/**
 * The text with ASCII's digits in the place of those of other scripts, such as full width, each of which is one unit long: everything stands
 * where it stood. Digits of two units are left.
 */
export function inAscii(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(OTHER_DIGIT, (digit) => (digit.length > 1 ? digit : String(valueOf(digit.charCodeAt(0)))));
}

/** A block of ten digits begins at a multiple of sixteen, or six after one. */
function valueOf(unit: number): number {
  const place = unit % 16;
  return place < 10 && /\p{Nd}/u.test(String.fromCharCode(unit - place)) ? place : place - 6;
}
