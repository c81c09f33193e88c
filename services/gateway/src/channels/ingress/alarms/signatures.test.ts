import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AlarmKind } from './alarm-source.ts';
import { isAuthentic } from './authentication.ts';
import { SIGNATURES } from './signatures.ts';

const NOW = 1_731_705_121;

function isTaken(kind: AlarmKind, secret: string, body: string, headers: Readonly<Record<string, unknown>>): boolean {
  return isAuthentic(SIGNATURES[kind], [secret], { headers, body: Buffer.from(body), nowMs: NOW * 1_000 });
}

// Vectors of the makers: GitHub's documentation, @octokit/webhooks-methods, and the Standard Webhooks that GitLab follows.
const HELLO = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
const OCTOKIT = 'sha256=4864d2759938a15468b5df9ade20bf161da9b4f737ea61794142f3484236bda3';
const STANDARD = {
  'webhook-id': 'msg_loFOjxBNrRLzqYUf',
  'webhook-timestamp': String(NOW),
  'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
};
const PING = '{"event_type":"ping","data":{"success":true}}';

test.each<[string, AlarmKind, string, string, Readonly<Record<string, unknown>>]>([
  ['GitHub documents', 'github', "It's a Secret to Everybody", 'Hello, World!', { 'x-hub-signature-256': HELLO }],
  ['octokit tests', 'github', 'mysecret', '{"foo":"bar"}', { 'x-hub-signature-256': OCTOKIT }],
  ['Standard Webhooks documents', 'gitlab', 'whsec_plJ3nmyCDGBKInavdOK15jsl', PING, STANDARD],
])('the signature that %s is valid, for exactly this body, secret and kind', (_, kind, secret, body, headers) => {
  expect(isTaken(kind, secret, body, headers)).toBe(true);
  expect(isTaken(kind, secret, `${body} `, headers)).toBe(false);
  expect(isTaken(kind, `x${secret}`, body, headers)).toBe(false);
  expect(isTaken('alertmanager', secret, body, headers)).toBe(false);
});

test('the signed time of a Standard Webhook is at most five minutes away', () => {
  const at = (seconds: number) =>
    isAuthentic(SIGNATURES.gitlab, ['whsec_plJ3nmyCDGBKInavdOK15jsl'], {
      headers: STANDARD,
      body: Buffer.from(PING),
      nowMs: (NOW + seconds) * 1_000,
    });
  expect([at(-301), at(-299), at(299), at(301)]).toEqual([false, true, true, false]);
});

test('the token of GitLab is the secret itself', () => {
  expect(isTaken('gitlab', 'a token', '{}', { 'x-gitlab-token': 'a token' })).toBe(true);
  expect(isTaken('gitlab', 'a token', '{}', { 'x-gitlab-token': 'a tokem' })).toBe(false);
});

test('Grafana signs the body, or the time and the body when it sends a time', () => {
  const sign = (text: string): string => createHmac('sha256', 'key').update(text).digest('hex');
  const signed = (signature: string, timestamp?: string) => ({
    'x-grafana-alerting-signature': signature,
    ...(timestamp === undefined ? {} : { 'x-grafana-alerting-timestamp': timestamp }),
  });
  expect(isTaken('grafana', 'key', '{}', signed(sign('{}')))).toBe(true);
  expect(isTaken('grafana', 'key', '{}', signed(sign(`${NOW}:{}`), String(NOW)))).toBe(true);
  // A body that was signed without a time cannot be sent with one.
  expect(isTaken('grafana', 'key', '{}', signed(sign('{}'), String(NOW)))).toBe(false);
  expect(isTaken('grafana', 'key', '{}', signed(sign(`${NOW - 301}:{}`), String(NOW - 301)))).toBe(false);
});

test('Sentry signs the body', () => {
  const signature = createHmac('sha256', 'key').update('{"a":1}').digest('hex');
  expect(isTaken('sentry', 'key', '{"a":1}', { 'sentry-hook-signature': signature })).toBe(true);
  expect(isTaken('sentry', 'key', '{"a": 1}', { 'sentry-hook-signature': signature })).toBe(false);
});

test('an empty header proves nothing', () => {
  expect(isTaken('gitlab', '', '{}', { 'x-gitlab-token': '' })).toBe(false);
  expect(isTaken('github', '', '{}', {})).toBe(false);
});
