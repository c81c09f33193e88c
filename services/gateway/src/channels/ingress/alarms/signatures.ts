import { createHmac } from 'node:crypto';
import type { AlarmKind } from './alarm-source.ts';
import { getHeader, isEqual, type SignedRequest } from './authentication.ts';

/** How old or new a signed time may be, as in the Standard Webhooks specification. */
const WINDOW_SECONDS = 300;

/** The native signatures of the senders that have one: true when the request was signed with the secret. */
export const SIGNATURES: Partial<Readonly<Record<AlarmKind, (secret: string, request: SignedRequest) => boolean>>> = {
  // X-Hub-Signature-256: sha256=<hex of the body>
  github: (secret, { headers, body }) =>
    isEqual(getHeader(headers, 'x-hub-signature-256'), `sha256=${sign(secret, body).toString('hex')}`),
  // X-Gitlab-Token: the secret itself; or webhook-signature: v1,<base64 of id.timestamp.body>
  gitlab: (secret, request) =>
    isEqual(getHeader(request.headers, 'x-gitlab-token'), secret) || isStandardWebhook(secret, request),
  // <hex of the body>, or of `timestamp:body` when Grafana was told to send a timestamp
  grafana: (secret, { headers, body, nowMs }) => {
    const given = getHeader(headers, 'x-grafana-alerting-signature');
    const timestamp = getHeader(headers, 'x-grafana-alerting-timestamp');
    if (timestamp === '') return isEqual(given, sign(secret, body).toString('hex'));
    return isFresh(timestamp, nowMs) && isEqual(given, sign(secret, `${timestamp}:`, body).toString('hex'));
  },
  // Sentry-Hook-Signature: <hex of the body>
  sentry: (secret, { headers, body }) =>
    isEqual(getHeader(headers, 'sentry-hook-signature'), sign(secret, body).toString('hex')),
};

function isStandardWebhook(secret: string, { headers, body, nowMs }: SignedRequest): boolean {
  const id = getHeader(headers, 'webhook-id');
  const timestamp = getHeader(headers, 'webhook-timestamp');
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const expected = `v1,${sign(key, `${id}.${timestamp}.`, body).toString('base64')}`;
  // During a rotation a sender lists several signatures.
  const given = getHeader(headers, 'webhook-signature').split(' ').slice(0, 5);
  return given.some((one) => isEqual(one, expected)) && isFresh(timestamp, nowMs);
}

function isFresh(timestamp: string, nowMs: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= WINDOW_SECONDS;
}

function sign(secret: string | Buffer, ...parts: readonly (string | Buffer)[]): Buffer {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
