import { toCanonicalJson } from '../cards/canonical.ts';
import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Decimal numbers with at most this many digits convert to a double without loss. */
const SAFE_DIGITS = 15;

/**
 * Formats an event for hashing: canonical JSON of all fields. When `data` holds a number that JSON.parse would change, the stored text
 * replaces it: the product never writes such a number, so the event must differ from the sealed one.
 */
export function toEventJson(event: RecordedAuditEvent): string {
  const { dataJson, writtenBy, ...rest } = event;
  // Events from before the field `writtenBy` existed are hashed without that field.
  const fields = writtenBy === null ? rest : { ...rest, writtenBy };
  const data: unknown = JSON.parse(dataJson);
  if (holdsExactNumbers(dataJson)) return toCanonicalJson({ ...fields, data });
  return toCanonicalJson({ ...fields, data: dataJson });
}

function holdsExactNumbers(json: string): boolean {
  for (const [token] of json.matchAll(TOKENS)) {
    if (token.startsWith('"') || token.length <= SAFE_DIGITS) continue;
    if (writePlainly(Number(token)) !== token) return false;
  }
  return true;
}

/** Writes a number without an exponent, as Postgres does: 1e-7 is 0.0000001. */
function writePlainly(value: number): string {
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e');
  const sign = value < 0 ? '-' : '';
  if (exponent === undefined) return sign + mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0'); // numbers get an exponent from 21 digits on, more than a double has
}
