import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCanaries } from '../redact/secrets.fixture.ts';
import { createSecretCipher, createSecretSealer } from './cipher.ts';
import { hideSecrets } from './hide.ts';
import { deriveSealingKey } from './key-pair.ts';
import { loadSecretsKey, parseSealingKey } from './key.ts';

const cipher = createSecretCipher(Buffer.alloc(32, 1));
const SEAL = { userKey: '1001', handle: 'secret:db-password' };

describe('a sealed secret', () => {
  it('can be opened with the person and the handle it was sealed for', () => {
    for (const value of ['hunter2', '', 'пароль 🔑', 'x'.repeat(20_000)])
      expect(cipher.open(cipher.seal(value, SEAL), SEAL)).toBe(value);
  });

  it('is different each time and does not contain the plain value', () => {
    const [one, two] = [cipher.seal('hunter2', SEAL), cipher.seal('hunter2', SEAL)];
    expect(one.equals(two)).toBe(false);
    expect(one.includes('hunter2')).toBe(false);
  });

  it('can be made with the sealing key alone, but opened only with the secrets key', () => {
    const key = Buffer.alloc(32, 1);
    const sealing = deriveSealingKey(key);
    const sealer = createSecretSealer(parseSealingKey(sealing.toString('base64')));
    const sealed = sealer.seal('hunter2', SEAL);
    expect(cipher.open(sealed, SEAL)).toBe('hunter2');
    expect(sealer.mark('1001', 'x', 'hunter2')).toBe(cipher.mark('1001', 'x', 'hunter2'));
    expect(sealer).not.toHaveProperty('open');
    for (const part of [sealing.subarray(0, 32), sealing.subarray(32), sealing])
      expect(() => createSecretCipher(part).open(sealed, SEAL)).toThrow(/cannot be opened/);
    expect(deriveSealingKey(key)).toEqual(sealing);
    expect(() => parseSealingKey(key.toString('base64'))).toThrow(/make-env/);
  });

  it('of an older release can be opened, even if its nonce starts like the new format', () => {
    const before = Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 1), '', 'signalbox secrets: seal', 32));
    for (const nonce of [randomBytes(12), Buffer.from('sbx1 by luck')]) {
      const old = createCipheriv('aes-256-gcm', before, nonce);
      old.setAAD(Buffer.from(JSON.stringify([SEAL.handle, SEAL.userKey])));
      const sealed = Buffer.concat([nonce, old.update('hunter2'), old.final(), old.getAuthTag()]);
      expect(cipher.open(sealed, SEAL)).toBe('hunter2');
    }
  });

  it.each([
    ['another person', cipher, { ...SEAL, userKey: '1002' }, (bytes: Buffer) => bytes],
    ['another handle', cipher, { ...SEAL, handle: 'secret:other' }, (bytes: Buffer) => bytes],
    ['another key', createSecretCipher(Buffer.alloc(32, 2)), SEAL, (bytes: Buffer) => bytes],
    [
      'a changed byte',
      cipher,
      SEAL,
      (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 14 ? byte ^ 1 : byte))),
    ],
    ['a cut end', cipher, SEAL, (bytes: Buffer) => bytes.subarray(0, -1)],
    ['nothing', cipher, SEAL, () => Buffer.alloc(0)],
  ])('cannot be opened with %s', (_, other, seal, change) => {
    expect(() => other.open(change(cipher.seal('hunter2', SEAL)), seal)).toThrow(/cannot be opened/);
  });
});

describe('hideSecrets', () => {
  it('gives equal secrets of one person the same handle, and of another person another handle', () => {
    const [canary] = makeCanaries();
    const text = `a ${canary?.text ?? ''} b ${canary?.text ?? ''}`;
    const { text: hidden, secrets } = hideSecrets(cipher, '1001', text);
    expect(secrets).toEqual([{ handle: secrets[0]?.handle, kind: 'aws-key', value: canary?.secret }]);
    expect(hidden).toBe(`a ${secrets[0]?.handle ?? ''} b ${secrets[0]?.handle ?? ''}`);
    expect(hideSecrets(cipher, '1001', text).text).toBe(hidden);
    expect(hideSecrets(cipher, '1002', text).text).not.toBe(hidden);
    expect(hideSecrets(cipher, '1001', hidden)).toEqual({ text: hidden, secrets: [] });
  });
});

describe('the secrets key', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'secrets-key-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const file = (): string => join(folder, 'data', 'secrets.key');

  it('is created once, in a file that only its owner can read', () => {
    const key = loadSecretsKey({ SECRETS_KEY_FILE: file() });
    expect(key).toHaveLength(32);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(loadSecretsKey({ SECRETS_KEY_FILE: file() }).equals(key)).toBe(true);
    expect(readdirSync(join(folder, 'data'))).toEqual(['secrets.key']);
  });

  it('is refused, and not overwritten, when other users may read its file', () => {
    loadSecretsKey({ SECRETS_KEY_FILE: file() });
    const before = readFileSync(file(), 'utf8');
    chmodSync(file(), 0o640);
    expect(() => loadSecretsKey({ SECRETS_KEY_FILE: file() })).toThrow(/others may read .*chmod 600/);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('is taken from the environment instead of the file, in base64 or hexadecimal', () => {
    const key = Buffer.alloc(32, 7);
    for (const SECRETS_KEY of [key.toString('base64'), key.toString('hex')])
      expect(loadSecretsKey({ SECRETS_KEY, SECRETS_KEY_FILE: file() }).equals(key)).toBe(true);
    expect(existsSync(file())).toBe(false);
  });

  it('is refused without showing it when it is invalid', () => {
    expect(() => loadSecretsKey({ SECRETS_KEY: 'too-short', SECRETS_KEY_FILE: file() })).toThrow(
      /SECRETS_KEY holds no key/,
    );
    expect(() => loadSecretsKey({ SECRETS_KEY: 'too-short', SECRETS_KEY_FILE: file() })).not.toThrow(/too-short/);
    writeFileSync(join(folder, 'empty'), '', { mode: 0o600 });
    expect(() => loadSecretsKey({ SECRETS_KEY_FILE: join(folder, 'empty') })).toThrow(/holds no key/);
  });
});
