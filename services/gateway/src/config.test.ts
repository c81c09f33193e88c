import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const SECRET = 'sixteen_letters-';
const read = (settings: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> =>
  loadConfig({
    DATABASE_URL: 'postgres://127.0.0.1/x',
    REDIS_URL: 'redis://127.0.0.1',
    TELEGRAM_BOT_TOKEN: '1:token',
    SECRETS_SEALING_KEY: 'c2VhbA==',
    ...settings,
  }).channels[0]?.config ?? {};
const webhook = (url: string, settings: Readonly<Record<string, string>> = {}): Readonly<Record<string, unknown>> =>
  read({ TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_SECRET: SECRET, ...settings });

test('no webhook is configured when TELEGRAM_WEBHOOK_URL is missing', () => {
  expect(read({})['TELEGRAM_WEBHOOK_URL']).toBeUndefined();
});

test.each(['https://bot.example.org/x', 'https://bot.example.org:8443/', 'http://127.0.0.1:4000/telegram'])(
  'a Telegram webhook at %s is accepted',
  (url) => {
    expect(webhook(url)['TELEGRAM_WEBHOOK_URL']).toBe(url);
  },
);

test.each([
  ['http://bot.example.org/x', 'https://'],
  ['ftp://bot.example.org/x', 'https://'],
  ['http://127.0.0.1.example.org/x', 'https://'],
  ['https://bot.example.org:8080/x', 'a port that Telegram does not call'],
  ['https://user@bot.example.org/x', 'user name'],
  ['bot.example.org', 'TELEGRAM_WEBHOOK_URL'],
])('a Telegram webhook at %s is refused', (url, reason) => {
  expect(() => webhook(url)).toThrow(reason);
});

test('a webhook on any port is accepted with a self-hosted Bot API server', () => {
  const url = 'https://bot.example.org:9000/x';
  expect(webhook(url, { TELEGRAM_API_ROOT: 'http://127.0.0.1:8081' })['TELEGRAM_WEBHOOK_URL']).toBe(url);
});

test.each(['', 'fifteen_letters', 'a secret with spaces in it', 'umlauts_äöü_in_a_secret', 'x'.repeat(257)])(
  'the webhook secret %j is refused, and the error does not show it',
  (secret) => {
    const attempt = (): unknown => webhook('https://bot.example.org/x', { TELEGRAM_WEBHOOK_SECRET: secret });
    expect(attempt).toThrow('TELEGRAM_WEBHOOK_SECRET');
    expect(attempt).not.toThrow(secret || SECRET);
  },
);

test('a webhook secret without a webhook address is refused', () => {
  expect(() => read({ TELEGRAM_WEBHOOK_SECRET: SECRET })).toThrow('TELEGRAM_WEBHOOK_URL is not');
});

test('the gateway can read its secrets and those of a channel from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  const put = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  try {
    const environment = {
      DATABASE_URL_FILE: put('database', 'postgres://127.0.0.1/x\n'),
      REDIS_URL_FILE: put('redis', 'redis://127.0.0.1\n'),
      SECRETS_SEALING_KEY_FILE: put('sealing', 'c2VhbA==\n'),
      TELEGRAM_BOT_TOKEN_FILE: put('token', '1:token\n'),
    };
    const config = loadConfig(environment);
    expect(config).toMatchObject({ DATABASE_URL: 'postgres://127.0.0.1/x', SECRETS_SEALING_KEY: 'c2VhbA==' });
    expect(config.channels[0]?.config).toMatchObject({ TELEGRAM_BOT_TOKEN: '1:token' });
    expect(() => loadConfig({ ...environment, TELEGRAM_BOT_TOKEN_FILE: join(folder, 'gone') })).toThrow(
      `TELEGRAM_BOT_TOKEN_FILE: ${join(folder, 'gone')} cannot be read (ENOENT)`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
