import { describe, expect, it } from 'vitest';
import { findAddresses, findQuantities, findQuoted, inUnitOf, withValuePlaceholders } from './quantities.ts';

const only = (text: string, field: string): number | null => {
  const [quantity] = findQuantities(text);
  return quantity ? inUnitOf(field, quantity) : null;
};

describe('quantities', () => {
  it.each([
    ['2 GB', 'memoryMb', 2_048],
    ['2gb of ram', 'memoryMb', 2_048],
    ['1.5 gigs', 'memoryMb', 1_536],
    ['0,5 GB', 'memoryMb', 512],
    ['512 MB', 'memoryMb', 512],
    ['512m', 'memoryMb', 512],
    ['1 TB', 'diskGb', 1_024],
    ['300', 'memoryMb', 300],
    ['5 minutes', 'timeoutSeconds', 300],
    ['2 hours', 'windowMinutes', 120],
    ['250 ms', 'delayMs', 250],
    ['3 days', 'ageHours', 72],
    ['2 GB', 'timeoutMs', null],
    ['5 minutes', 'memoryMb', null],
    ['2 GB', 'port', null],
  ])('reads %s for %s as %s', (text, field, value) => {
    expect(only(text, field)).toBe(value);
  });

  it.each(['web-1', '1.4.2', 'v2', '10.0.0.5', 'https://a.example/8080/x', 'abc123', '3rd'])(
    'sees no number in %s',
    (text) => {
      expect(findQuantities(text)).toEqual([]);
    },
  );

  it('sees addresses and quotes without what surrounds them', () => {
    expect(findAddresses('at https://a.example/x.git, or git@b.example:y.').map(({ value }) => value)).toEqual([
      'https://a.example/x.git',
      'git@b.example:y',
    ]);
    expect(findQuoted(`say "one two" and 'three', don't`).map(({ value }) => value)).toEqual(['one two', 'three']);
  });

  it('stand as placeholders in what is compared', () => {
    expect(withValuePlaceholders('take 2 GB at 8080 for 1.4.2 of "x"').split(/\s+/)).toEqual([
      'take',
      '¤size',
      'at',
      '¤number',
      'for',
      '¤version',
      'of',
      '¤quoted',
      '',
    ]);
  });
});
