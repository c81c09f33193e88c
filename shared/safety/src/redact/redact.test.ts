import { describe, expect, it, test } from 'vitest';
import { createTypedCode, newId, newTraceId, PREFIXES } from '@signalbox/contracts/ids';
import { findSecrets } from './find.ts';
import { describeKind } from './kinds.ts';
import { redactForLog, redactLines, redactText, redactValue, REDACTED, redactPersonal } from './redact.ts';
import { makeCanaries, NUMBERS } from './secrets.fixture.ts';

const canaries = [...makeCanaries(), ...NUMBERS];

describe('secrets', () => {
  it('of at least forty kinds are covered by these tests', () => {
    expect(new Set(canaries.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(canaries.map((canary) => [canary.kind, canary] as const))(
    'of the kind %s are found and redacted',
    (kind, canary) => {
      const { secret, text } = canary;
      expect(findSecrets(text)[0]?.kind).toBe(kind);
      expect(redactText(text)).not.toContain(secret);
      expect(redactText(`Hello,\n${text}\nthanks!`)).not.toContain(secret);
      expect(redactText(JSON.stringify({ note: text }))).not.toContain(JSON.stringify(secret).slice(1, -1));
    },
  );

  it('are found whatever their random characters are', () => {
    const left = [1, 2, 3, 4, 5].flatMap(makeCanaries).filter(({ secret, text }) => redactText(text).includes(secret));
    expect(left).toEqual([]);
  });

  it('that were redacted once are not changed by redacting again', () => {
    for (const { text } of canaries) expect(redactText(redactText(text))).toBe(redactText(text));
  });

  it('are redacted without changing the text around them', () => {
    expect(redactText('DB_PASSWORD=s3cr3t-value # of the shop')).toBe(`DB_PASSWORD=${REDACTED} # of the shop`);
    expect(redactText('postgres://app:s3cr3t-value@db:5432/shop')).toBe(`postgres://app:${REDACTED}@db:5432/shop`);
    expect(redactText('is "hunter2!" right? password: "hunter2!"')).toContain(`password: "${REDACTED}"`);
  });

  it.each([
    '4539 1488 0343 6467',
    '4539.1488.0343.6467',
    '4539\u00a01488\u00a00343\u00a06467',
    '4539  1488  0343  6467',
  ])('such as the card number %s are redacted, also in full-width digits', (typed) => {
    const wide = typed.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    for (const number of [typed, wide])
      expect(redactText(`my card ${number} is gone`)).toBe('my card [secret] is gone');
  });

  it.each([
    ['the password is hunter2!', 'hunter2'],
    ['my password: hunter2', 'hunter2'],
    ['Passwort: hunter2', 'hunter2'],
    ['пароль: hunter2', 'hunter2'],
    ['contraseña: hunter2', 'hunter2'],
    ['密码：hunter2', 'hunter2'],
    ['[db]\npassword = swordfish\nuser = ada', 'swordfish'],
    ['db:\n  password: swordfish\n', 'swordfish'],
    ['db:\n  password: "sword fish"\n', 'sword fish'],
    ['{"password":"swordfish"}', 'swordfish'],
    ['{\\"password\\":\\"swordfish\\"}', 'swordfish'],
    ['--password=swordfish', 'swordfish'],
    ['--api-key swordfish', 'swordfish'],
    ['?user=ada&token=swordfish&page=2', 'swordfish'],
    ['curl -u ada:swordfish https://example.com', 'swordfish'],
    ['sshpass -p swordfish ssh web-1', 'swordfish'],
    ['PGPASSWORD=swordfish psql', 'swordfish'],
    ['export STRIPE_SECRET_PROD="swordfish"', 'swordfish'],
    ['postgres://app:p@ssword@db/shop', 'p@ss'],
    ['<password>swordfish</password>', 'swordfish'],
    ['set DB_PASSWORD to swordfish for shop in staging', 'swordfish'],
    ['set the variable API_KEY of shop in staging to 9f8a7b6c5d4e', '9f8a7b6c5d4e'],
    ['setze API_KEY von shop auf 9f8a7b6c5d4e', '9f8a7b6c5d4e'],
    ['cambia la contraseña de shop a hunter2', 'hunter2'],
  ])('are redacted in the text %j', (text, secret) => {
    expect(redactText(text)).not.toContain(secret);
  });
});

describe('an encoded or wrapped token', () => {
  const token = `gh${'p_'}0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r`;
  it.each([
    ['zero-width signs', token.split('').join('\u200b')],
    ['a soft hyphen', `${token.slice(0, 9)}\u00ad${token.slice(9)}`],
    ['a line break', `${token.slice(0, 20)}\n${token.slice(20)}`],
    ['a line break of Windows with an indent', `${token.slice(0, 20)}\r\n    ${token.slice(20)}`],
    ['percent signs', `token%3D${token}%26page%3D2`],
    [
      'percent signs throughout',
      token
        .split('')
        .map((one) => `%${one.charCodeAt(0).toString(16)}`)
        .join(''),
    ],
    ['base 64', Buffer.from(`key ${token}`).toString('base64')],
    ['base 64 for addresses', Buffer.from(`key ${token}`).toString('base64url')],
    ['base 64 with percent signs', encodeURIComponent(Buffer.from(`key >> ${token}`).toString('base64'))],
  ])('is redacted when it is written with %s', (_, text) => {
    const plain = redactText(`see ${text} there`).replace(/[^ -~]/g, '');
    expect(plain).toContain(REDACTED);
    expect(plain).not.toContain(token.slice(-10));
    expect(plain).not.toContain(text.slice(-12));
    expect(plain).toMatch(/ there$/);
  });

  it('is redacted without the words of the next line', () => {
    expect(redactText(`${token}\nPlease deploy`)).toBe(`${REDACTED}\nPlease deploy`);
  });
});

describe('redactValue', () => {
  it('redacts secrets at every depth and in keys, and leaves other values unchanged', () => {
    const value = {
      a: [{ b: 'password=s3cr3t-value', n: 1, at: new Date(0) }],
      token: 'abc-def-ghi',
      [`x ${canaries[0]?.text}`]: null,
    };
    expect(redactValue(value)).toEqual({
      a: [{ b: `password=${REDACTED}`, n: 1, at: new Date(0) }],
      token: REDACTED,
      [`x ${REDACTED}`]: null,
    });
    const clean = { id: 'turn_1', list: [1, 'two', { three: true }], none: null };
    expect(redactValue(clean)).toEqual(clean);
  });

  it('keeps secret handles in fields that hold secrets', () => {
    expect(redactValue({ password: 'secret:db-password', token: '', secret: null })).toEqual({
      password: 'secret:db-password',
      token: '',
      secret: null,
    });
  });

  it('cuts off values that are nested very deep', () => {
    let deep: unknown = 'password=s3cr3t-value';
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    expect(JSON.stringify(redactValue(deep))).not.toContain('s3cr3t-value');
  });
});

describe('personal data', () => {
  it.each([
    ['write to ada.lovelace+shop@example.co.uk now', 'write to [email] now'],
    ['<bob@example.com>', '<[email]>'],
    ['call +49 170 1234567 today', 'call [phone] today'],
    ['call +1 (555) 123-4567', 'call [phone]'],
    ['555-123-4567', '[phone]'],
  ])('in the text %j is redacted for logs', (text, redacted) => {
    expect(redactPersonal(text)).toBe(redacted);
    expect(redactForLog(text)).toBe(redacted);
  });

  it.each([
    'git@github.com:signalbox/signalbox.git',
    'user_1001_1 in telegram:-1001234567890',
    'npm i vitest@4.1.12',
    '@signalbox/platform/log',
    '2026-11-22T06:00:00.000Z +0000',
    'took +1200 ms, 10.0.0.1:5432',
    '@signalbox_bot list',
  ])('is not found in %j, which only resembles an address or a phone number', (text) => {
    expect(redactPersonal(text)).toBe(text);
  });
});

test('describeKind returns a readable name for a kind of secret', () => {
  expect(['aws-key', 'github-token', 'private-key', 'url-password', 'iban', 'stripe-key'].map(describeKind)).toEqual([
    'AWS key',
    'GitHub token',
    'private key',
    'password',
    'bank account number',
    'Stripe key',
  ]);
});

test("Signalbox's own ids, codes and handles are not redacted", () => {
  const many = { length: 50 };
  const ids = [
    ...PREFIXES.flatMap((prefix) => Array.from(many, () => newId(prefix))),
    ...Array.from(many, () => newTraceId()),
    'trc_01k9c2h4zx7q3m5n8p0r',
  ];
  const codes = Array.from({ length: 50 }, () => createTypedCode(3));
  const handles = [
    'secret:db-password',
    'secret:aws-key-7f3a9c2e',
    'secret:token-0a1b2c3d',
    'secret:password-9z8y7x6w',
  ];
  for (const id of [...ids, ...codes, ...handles]) {
    for (const text of [id, `see ${id}.`, `token ${id}`, `password=${id.startsWith('secret:') ? id : 'none'} ${id}`])
      expect(redactText(text)).toBe(text);
  }
});

test('lines keep their numbers when a secret over several lines is redacted', () => {
  const key = ['-----BEGIN EC PRIVATE KEY-----', 'MHcCAQEEIIGlVmCYq2Vq1Yb0', '-----END EC PRIVATE KEY-----'];
  const lines = redactLines(['first', ...key, 'last'].join('\n'));
  expect(lines).toHaveLength(5);
  expect([lines[0], lines[4]]).toEqual(['first', 'last']);
  expect(lines.join()).not.toMatch(/MHcC|PRIVATE/);
  expect(redactLines('a\nb')).toEqual(['a', 'b']);
});
