import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayMoment } from './schedule/say-when.ts';

/** Returns the values of a sentence about a freeze, in the current language. `until`: its end as ISO 8601; null for none. */
export function describeFreeze({
  reason,
  until,
  zone,
}: {
  readonly reason: string;
  readonly until: string | null;
  readonly zone: string;
}) {
  return {
    why: reason === '' ? 'none' : 'given',
    reason: toPlainName(reason),
    hasEnd: until !== null,
    until: until === null ? '' : `${sayMoment(new Date(until), zone)} (${zone})`,
  };
}
