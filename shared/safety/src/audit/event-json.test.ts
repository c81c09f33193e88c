import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';
import { toEventJson } from './event-json.ts';

const event = (dataJson: string): RecordedAuditEvent => ({
  eventId: '7',
  recordedAt: '2026-03-01T14:05:09.123456Z',
  kind: 'action.settled',
  actor: '1001',
  threadId: null,
  turnId: null,
  actionId: null,
  approvalId: null,
  policyVersion: null,
  dataJson,
  writtenBy: null,
});

describe('toEventJson', () => {
  it('returns the same canonical JSON whatever order and spaces the stored data has', () => {
    expect(toEventJson(event('{"b": [1, 2.5, "x"],  "a": {"z": null, "y": true}}'))).toBe(
      '{"actionId":null,"actor":"1001","approvalId":null,"data":{"a":{"y":true,"z":null},"b":[1,2.5,"x"]},"eventId":"7",' +
        '"kind":"action.settled","policyVersion":null,"recordedAt":"2026-03-01T14:05:09.123456Z","threadId":null,"turnId":null}',
    );
  });

  it('includes the database role that wrote the event, and omits the field for older events', () => {
    const data = '{"b": [1, 2.5, "x"]}';
    const before = toEventJson(event(data));
    expect(before).not.toContain('writtenBy');
    const written = toEventJson({ ...event(data), writtenBy: 'signalbox_worker' });
    expect(written).toBe(before.replace('"turnId":null', '"turnId":null,"writtenBy":"signalbox_worker"'));
  });

  it('returns different JSON for two numbers that JSON.parse would make equal', () => {
    const [a, b] = ['{"n": 9007199254740992}', '{"n": 9007199254740993}'].map((data) => toEventJson(event(data)));
    expect(a).toContain('"data":{"n":9007199254740992}');
    expect(b).not.toBe(a);
    expect(toEventJson(event('{"n": 0.1000000000000000000001}'))).not.toBe(toEventJson(event('{"n": 0.1}')));
  });

  it('accepts every double-precision number in the notation of Postgres', () => {
    const large = fc.double({ min: 1e21, noNaN: true, noDefaultInfinity: true });
    const small = fc.double({ min: Number.MIN_VALUE, max: 9e-7, noNaN: true });
    fc.assert(
      fc.property(fc.oneof(large, small), fc.boolean(), (size, isNegative) => {
        const n = isNegative ? -size : size;
        expect(toEventJson(event(`{"n": ${isNegative ? '-' : ''}${writeAsNumeric(size)}}`))).toContain(
          `"data":{"n":${n}}`,
        );
      }),
    );
  });

  it('does not change digits inside strings', () => {
    expect(toEventJson(event('{"card \\" 1": "90071992547409931234567"}'))).toContain(
      '"data":{"card \\" 1":"90071992547409931234567"}',
    );
  });
});

/** Writes a double as Postgres does: the same digits, without an exponent. */
function writeAsNumeric(n: number): string {
  const [mantissa = '', exponent = '0'] = n.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const power = Number(exponent);
  return power < 0 ? `0.${'0'.repeat(-power - 1)}${digits}` : digits.padEnd(power + 1, '0');
}
