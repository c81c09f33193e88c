import { describe, expect, it } from 'vitest';
import { redactText } from './redact.ts';

const LINES = [
  // Prose
  'create a project called shop for the web shop',
  'Please reset my password, I forgot it.',
  'The password: please send it to me in private.',
  'my password is wrong and the token is expired',
  'What is the difference between a token and a secret?',
  'secret: nobody knows',
  'The secret is that there is none.',
  'Password required',
  'Password: required',
  'token: the smallest unit of a text',
  'Bearer authentication is not supported; basic understanding is enough.',
  'The authorization: ask an admin',
  'key takeaways: none',
  'He said: pass me the salt',
  'tests: pass: 12, fail: 3',
  'used 1200 tokens: 800 input, 400 output',
  'token=1200',
  'pass=ok',
  // Versions, hashes, ids
  'build 2026.1123.0915.4410 of 2026/11/23 took 4011.2026.1123 ms',
  'upgrade from 1.4.2 to 1.5.0-rc.1+build.20261122',
  'commit da39a3ee5e6b4b0d3255bfef95601890afd80709 broke it',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'image shop@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  'request 550e8400-e29b-41d4-a716-446655440000 timed out',
  'turn_01k9abcdefghjkmnpqrs in user_1001_1',
  'apv_01k9abcdefghjkmnpqrs was approved',
  'act_01k9abcdefghjkmnpqrs: deploy of shop',
  'inbox 1763785200123456789 at 1763785200123',
  'telegram:-1001234567890/42',
  'order 1234567890123456',
  'serial 4111111111111112',
  'MD5 d41d8cd98f00b204e9800998ecf8427e',
  'ETag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
  '2026-11-22T06:00:00.000Z 10.0.0.1:5432 [::1]:8080',
  // Code
  'const token = getToken();',
  'const password = process.env.DB_PASSWORD;',
  'password: string;',
  'readonly token: string | null;',
  'function login(user: string, password: string): Promise<Token> {',
  'if (token === null) return;',
  'token = await issueToken(user)',
  'this.password = password;',
  'password=os.environ["DB_PASSWORD"]',
  'password = config.db.password',
  'const { token, secret } = options;',
  'self.token = self.client.token',
  'SELECT token FROM sessions WHERE user_id = 7',
  'fetch(url, { credentials: "include" })',
  'max_tokens: 4096, token_count: 512, tokenizer: "cl100k_base"',
  'import { secret } from "./secret.ts";',
  // Configuration
  'DB_PASSWORD=${DB_PASSWORD}',
  'DB_PASSWORD=$DB_PASSWORD',
  'password: {{ .Values.db.password }}',
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'POSTGRES_PASSWORD=changeme',
  'TELEGRAM_BOT_TOKEN=',
  'API_KEY=<your key here>',
  'api_key: YOUR_API_KEY_HERE',
  'password: ********',
  'password=[secret]',
  'DATABASE_URL=postgres://user:password@localhost:5432/shop',
  'REDIS_URL=redis://127.0.0.1:6379',
  'secretName: shop-tls',
  'secretKeyRef: { name: shop, key: url }',
  'password_policy: strict, password_length: 12',
  'PWD=/srv/shop OLDPWD=/srv',
  'private_key: /etc/ssl/private/shop.pem',
  'ssh key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGq7o3bV1mVtq0cQJY4u2lJ9C4v3b5w8y0z1x2c3v4b5 ada@laptop',
  'https://example.com/a/b?page=2&sort=asc#top',
  'https://example.com:8443/path@v2',
  'git clone git@github.com:signalbox/signalbox.git',
  '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  'pk_live_is_public_and_stays',
  'npm_config_registry and npm_lifecycle_event',
  'sk-learn, risk-free, desk-top, task-force',
  'hf_ and ghp_ are prefixes of tokens',
  'AKIA is how keys of AWS begin',
  'iban DE00 0000 0000 0000 0000 00',
  'services/gateway/src/channels/telegram/format/delivered-whole.test.ts',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'aHR0cHM6Ly9leGFtcGxlLmNvbS9hL2IvYw==',
  '/allow 1234 developer',
  'secret:db-password',
  'use secret:aws-key-7f3a9c2e for it',
  'nobody said “secret:step-up-code-73710472” here',
  'niemand schrieb „secret:step-up-code-73710472“',
];

describe('lines without secrets', () => {
  it('are at least sixty in this test', () => {
    expect(LINES.length).toBeGreaterThanOrEqual(60);
  });

  it.each(LINES)('are not redacted: %s', (line) => {
    expect(redactText(line)).toBe(line);
  });

  it('are not redacted when they are joined to one text', () => {
    const text = LINES.join('\n');
    expect(redactText(text)).toBe(text);
  });
});
