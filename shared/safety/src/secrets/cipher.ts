import { createCipheriv, createDecipheriv, createHmac, createPublicKey, diffieHellman } from 'node:crypto';
import { generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import { AppError } from '@signalbox/contracts/errors';
import { KEY_BYTES, publicBytes, publicKeyOf, SEALING_KEY_BYTES, secretKeysOf } from './key-pair.ts';

/** Whose a sealed value is, and under which name: it opens only for these. */
export interface Seal {
  readonly userKey: string;
  readonly handle: string;
}

/** Seals values, and cannot open what it sealed. */
export interface SecretSealer {
  /** Sealing twice gives two different results. */
  seal(value: string, seal: Seal): Buffer;
  /**
   * A short mark of a value: the same for the same person and value, so that what is sent twice has one handle. Says nothing about
   * the value without the key.
   */
  mark(userKey: string, kind: string, value: string): string;
}

/** Opens what was sealed too. */
export interface SecretCipher extends SecretSealer {
  /** Throws SECRET_UNREADABLE when the key, the person or the handle is another one, or a byte was changed. */
  open(sealed: Uint8Array, seal: Seal): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Forty bits: two of a person's secrets get the same mark once in a trillion. */
const MARK_LENGTH = 8;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** What a box begins with. Older values begin with a random nonce: one that begins so is tried as both. */
const BOX = Buffer.from('sbx1');

/** A sealer for the 64 bytes that `deriveSealingKey` makes of the key of the secrets. */
export function createSecretSealer(sealingKey: Uint8Array): SecretSealer {
  const publicKey = publicKeyOf(sealingKey.subarray(0, KEY_BYTES));
  const markKey = sealingKey.subarray(KEY_BYTES, SEALING_KEY_BYTES);
  return {
    seal: (value, seal) => sealBox(publicKey, value, seal),
    mark: (userKey, kind, value) => {
      const digest = createHmac('sha256', markKey)
        .update(JSON.stringify([userKey, kind, value]))
        .digest();
      return [...digest.subarray(0, MARK_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    },
  };
}

/** A cipher for a key of 32 bytes. It opens boxes, and what releases before sealed with the key itself. */
export function createSecretCipher(key: Uint8Array): SecretCipher {
  const { privateKey, sealingKey, sealKeyOfBefore } = secretKeysOf(key);
  return {
    ...createSecretSealer(sealingKey),
    open: (sealed, seal) => {
      const bytes = Buffer.from(sealed);
      try {
        if (bytes.subarray(0, BOX.length).equals(BOX)) return openBox(privateKey, bytes, seal);
      } catch {
        // An older value whose nonce happens to begin like a box, or nothing that opens.
      }
      try {
        return decrypt(sealKeyOfBefore, bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES), seal);
      } catch (error) {
        throw new AppError('SECRET_UNREADABLE', { handle: seal.handle }, error);
      }
    },
  };
}

/** A key for one value alone: of a pair that is forgotten and the public key, by X25519 and HKDF. */
function sealBox(publicKey: KeyObject, value: string, seal: Seal): Buffer {
  const once = generateKeyPairSync('x25519');
  const ours = publicBytes(once.publicKey);
  const key = boxKey(diffieHellman({ privateKey: once.privateKey, publicKey }), ours, publicBytes(publicKey));
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(NONCE_BYTES), { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(seal));
  return Buffer.concat([BOX, ours, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function openBox(privateKey: KeyObject, bytes: Buffer, seal: Seal): string {
  const theirs = bytes.subarray(BOX.length, BOX.length + KEY_BYTES);
  const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(theirs) });
  const key = boxKey(shared, theirs, publicBytes(createPublicKey(privateKey)));
  return decrypt(key, Buffer.alloc(NONCE_BYTES), bytes.subarray(BOX.length + KEY_BYTES), seal);
}

function boxKey(shared: Buffer, once: Buffer, recipient: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, Buffer.concat([once, recipient]), 'signalbox secrets: box', KEY_BYTES));
}

function decrypt(key: Uint8Array, nonce: Uint8Array, sealed: Buffer, seal: Seal): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(seal));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
}

function boundTo({ userKey, handle }: Seal): Buffer {
  return Buffer.from(JSON.stringify([handle, userKey]));
}
