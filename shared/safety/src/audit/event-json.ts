import { canonicalJson } from '../cards/canonical.ts';
import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';

/** Strings are skipped, numbers are looked at. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** So many digits always survive the way through a double. */
const SAFE_DIGITS = 15;

/**
 * The bytes of an event that are hashed: the canonical JSON of all its fields. When `data` holds a number that a program which
 * reads JSON would see as another one, the stored text stands in its place: that number did not come from us, and its event has
 * to look different from the one that was sealed.
 */
export function eventJson(event: RecordedAuditEvent): string {
  const { dataJson, writtenBy, ...rest } = event;
  // What was sealed before events had a writer is hashed as it was then.
  const fields = writtenBy === null ? rest : { ...rest, writtenBy };
  const data: unknown = JSON.parse(dataJson);
  if (holdsExactNumbers(dataJson)) return canonicalJson({ ...fields, data });
  return canonicalJson({ ...fields, data: dataJson });
}

function holdsExactNumbers(json: string): boolean {
  for (const [token] of json.matchAll(TOKENS)) {
    if (token.startsWith('"') || token.length <= SAFE_DIGITS) continue;
    if (writePlainly(Number(token)) !== token) return false;
  }
  return true;
}

/** A number in digits alone, as Postgres writes it: 1e-7 is 0.0000001. */
function writePlainly(value: number): string {
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e');
  const sign = value < 0 ? '-' : '';
  if (exponent === undefined) return sign + mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0'); // an exponent is written from 21 digits on, which is more than there are behind the point
}
