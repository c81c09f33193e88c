import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';
import { eventJson } from './event-json.ts';

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

describe('the hashed text of an event', () => {
  it('is canonical, whatever order and spaces the database gives to its data', () => {
    expect(eventJson(event('{"b": [1, 2.5, "x"],  "a": {"z": null, "y": true}}'))).toBe(
      '{"actionId":null,"actor":"1001","approvalId":null,"data":{"a":{"y":true,"z":null},"b":[1,2.5,"x"]},"eventId":"7",' +
        '"kind":"action.settled","policyVersion":null,"recordedAt":"2026-03-01T14:05:09.123456Z","threadId":null,"turnId":null}',
    );
  });

  it('names its writer, and of what was recorded without one is what it was before', () => {
    const data = '{"b": [1, 2.5, "x"]}';
    const before = eventJson(event(data));
    expect(before).not.toContain('writtenBy');
    const written = eventJson({ ...event(data), writtenBy: 'signalbox_worker' });
    expect(written).toBe(before.replace('"turnId":null', '"turnId":null,"writtenBy":"signalbox_worker"'));
  });

  it('differs for numbers that become the same when a program reads them', () => {
    const [a, b] = ['{"n": 9007199254740992}', '{"n": 9007199254740993}'].map((data) => eventJson(event(data)));
    expect(a).toContain('"data":{"n":9007199254740992}');
    expect(b).not.toBe(a);
    expect(eventJson(event('{"n": 0.1000000000000000000001}'))).not.toBe(eventJson(event('{"n": 0.1}')));
  });

  it('takes every number that a program can write, also where Postgres writes it out', () => {
    const large = fc.double({ min: 1e21, noNaN: true, noDefaultInfinity: true });
    const small = fc.double({ min: Number.MIN_VALUE, max: 9e-7, noNaN: true });
    fc.assert(
      fc.property(fc.oneof(large, small), fc.boolean(), (size, isNegative) => {
        const n = isNegative ? -size : size;
        expect(eventJson(event(`{"n": ${isNegative ? '-' : ''}${writeAsNumeric(size)}}`))).toContain(
          `"data":{"n":${n}}`,
        );
      }),
    );
  });

  it('leaves digits inside of text alone', () => {
    expect(eventJson(event('{"card \\" 1": "90071992547409931234567"}'))).toContain(
      '"data":{"card \\" 1":"90071992547409931234567"}',
    );
  });
});

/** The text of a double as Postgres keeps it: the same digits, and zeros instead of an exponent. */
function writeAsNumeric(n: number): string {
  const [mantissa = '', exponent = '0'] = n.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const power = Number(exponent);
  return power < 0 ? `0.${'0'.repeat(-power - 1)}${digits}` : digits.padEnd(power + 1, '0');
}
