const BEYOND_ASCII = /[\u0080-\uffff]/;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

/** Replaces digits of other scripts, such as full-width digits, by ASCII digits at the same offsets. Digits of two UTF-16 units stay. */
export function toAsciiDigits(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(OTHER_DIGIT, (digit) => (digit.length > 1 ? digit : String(toDigitValue(digit.charCodeAt(0)))));
}

/** Unicode's blocks of ten digits start at a multiple of 16, or 6 after a multiple of 16. */
function toDigitValue(unit: number): number {
  const place = unit % 16;
  return place < 10 && /\p{Nd}/u.test(String.fromCharCode(unit - place)) ? place : place - 6;
}
