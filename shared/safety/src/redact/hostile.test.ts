import { expect, it } from 'vitest';
import { redactForLog } from './redact.ts';

const LONG = 100_000;
const SHORT = 10_000;

// Starts of many patterns, which would scan on from every offset if they could.
const PIECES = [
  'eyJ-',
  'eyJaaaaaaaa.',
  'password',
  'password=',
  'password: ',
  'password="',
  'password: a ',
  'password is ',
  'secret:',
  '--token ',
  '-----BEGIN PRIVATE KEY-----',
  '://a:',
  '://a:b@',
  'curl -u ',
  'curl ',
  'machine a password ',
  'machine ',
  'authorization:',
  'authorization bearer ',
  'ghp_',
  'sk-ant-',
  'SG.',
  'QUJD',
  '%41',
  '%',
  'a\n',
  '\n',
  '4 ',
  '41',
  'DE89 ',
  '+1 ',
  'a@',
  '@a.',
  'a\u200b',
  ' ',
  '"',
  '\\"',
  '0123456789abcdef',
  'M0aaaaaaaaaaaaaaaaaaaaaa.',
];

// Compares a ratio within one run, because the machine may be slow or busy.
it.each(PIECES)('redacting 100,000 characters of repeated %j takes linear time', (piece) => {
  const make = (length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const cpuMs = (text: string): number => {
    const before = process.cpuUsage();
    redactForLog(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const [short, long] = [make(SHORT), make(LONG)];
  redactForLog(short);
  // Ten times the text: ratio 10 when linear, 100 when quadratic. Repeated up to five times against measuring noise; the least value
  // counts.
  let [shortMs, longMs] = [Infinity, Infinity];
  for (let round = 0; round < 5 && !(longMs / Math.max(shortMs, 2) < 40); round++) {
    shortMs = Math.min(shortMs, cpuMs(short));
    longMs = Math.min(longMs, cpuMs(long));
  }
  expect(longMs / Math.max(shortMs, 2)).toBeLessThan(40);
});
