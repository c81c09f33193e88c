import { AppError } from '@signalbox/contracts/errors';
import { expect, test } from 'vitest';
import { createOpenedSecrets } from './opened-secrets.ts';

test("a decrypted secret is removed from a run's result and from its errors", () => {
  const opened = createOpenedSecrets();
  opened.add('sunshine');
  expect(opened.mask({ say: 'the sunshine works', list: ['sunshine!'] })).toEqual({
    say: 'the [secret] works',
    list: ['[secret]!'],
  });
  const told = opened.maskError(new Error('failed', { cause: new Error('bad sunshine') }), 'act_1');
  expect(told).toMatchObject({ code: 'INTERNAL', data: { ref: 'act_1' } });
});

test('output that contains no decrypted secret is unchanged', () => {
  const opened = createOpenedSecrets();
  opened.add('sunshine');
  opened.add('on');
  const error = new AppError('CONFLICT', { detail: 'no rain on it' });
  expect(opened.maskError(error, 'act_1')).toBe(error);
  expect(opened.mask('rain on it')).toBe('rain on it');
});

test('a decrypted secret is removed from output in every common encoding, at any position', () => {
  const value = 'p4ss w0rd/+&é!';
  const opened = createOpenedSecrets();
  opened.add(value);
  const base64 = (before: string) => Buffer.from(`${before}${value}&after`).toString('base64');
  const printed = [
    value,
    encodeURIComponent(value),
    encodeURIComponent(value).replaceAll('%20', '+'),
    encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify({ value }),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('hex').toUpperCase(),
    Buffer.from(value).toString('base64url'),
    ...['', 'a', 'ab', 'abc'].map(base64),
    ...['', 'a', 'ab'].map((before) => Buffer.from(`${before}${value}`).toString('base64url')),
  ];
  for (const text of printed) expect(opened.mask(`it is ${text}.`)).toContain('[secret]');
  const bytes = Buffer.from(value).toString('base64');
  expect(opened.mask(bytes)).toBe('[secret]');
});

test('each line of a decrypted secret of several lines is removed from output, because logs arrive line by line', () => {
  const opened = createOpenedSecrets();
  opened.add('-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n-----END KEY-----\n');
  expect(opened.mask('read MIIEvQIBADANBg from it, in short')).toBe('read [secret] from it, in short');
});
