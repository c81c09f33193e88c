import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isTypedAmount } from './amounts.ts';

it.each([
  ['memoryMb', '2048', 'a port with 2 GB please'],
  ['memoryMb', '2000', 'a port with 2 GB please'],
  ['hours', '1', 'keep it quiet for an hour'],
  ['hours', '12', 'till tomorrow, so 12h'],
  ['hours', '2', 'zwei Stunden stumm'],
  ['hours', '24', 'silencia durante un día'],
  ['hours', '48', 'на два дня'],
  ['value', '3600', 'поставь один час'],
  ['value', '30000', 'TIMEOUT_MS,30 秒'],
  ['value', '7200', '改成两小时吧'],
  ['days', '14', 'accept it for 2 weeks'],
  ['until_minutes_ago', '90', 'what was 90 minutes ago'],
])('%s=%s is what a person typed who wrote “%s”', (field, value, text) => {
  expect(isTypedAmount(field, value, [text])).toBe(true);
});

it.each([
  ['hours', '60', 'mute it for an hour', 'the field counts hours'],
  ['hours', '24', 'look at shop in staging', 'a word only begins like a number and ends like a unit'],
  ['value', '1', 'put in a s', 'a letter is a unit only behind figures'],
  ['hours', '3', 'mute it for two hours', 'it is another number'],
  ['memoryMb', '1', 'an hour', 'it is another kind of unit'],
  ['value', '0x10', '16 seconds', 'it is no plain number'],
  ['value', '3600', 'ban hour', 'the number is a part of a word'],
  ['value', '5000', 'release 1.5 seconds', 'the number is a part of another one'],
  ['value', '3600', 'an hourglass', 'the unit is a part of a word'],
  ['port', '22', 'a port for two services', 'no unit was typed'],
])('%s=%s is not what a person typed who wrote “%s”, because %s', (field, value, text) => {
  expect(isTypedAmount(field, value, [text])).toBe(false);
});

it('no number is an amount in a text without figures and number words', () => {
  fc.assert(
    fc.property(fc.nat(), fc.stringMatching(/^[xyz .,:hgb]*$/), (value, text) => {
      expect(isTypedAmount('value', String(value), [text])).toBe(false);
    }),
  );
});
