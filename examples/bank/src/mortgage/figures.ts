import { currentLanguage } from '@signalbox/messages/language';

/** An amount as people write it in the language of the reader, to the cent. */
export function sayAmount(amount: string, currency: string): string {
  return format(amount, { style: 'currency', currency });
}

/** The same for amounts that are mostly whole: without cents where there are none. */
export function sayRoundAmount(amount: string, currency: string): string {
  return format(amount, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' });
}

/** A percentage with the places that it has. */
export function sayPercent(percent: string): string {
  return format(percent, { style: 'unit', unit: 'percent', maximumFractionDigits: 3 });
}

function format(decimal: string, options: Intl.NumberFormatOptions): string {
  // Text that is a decimal number is formatted exactly; the type knows only literals.
  return new Intl.NumberFormat(currentLanguage(), options).format(decimal as Intl.StringNumericLiteral);
}
