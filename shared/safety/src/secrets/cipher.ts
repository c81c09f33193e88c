import { createCipheriv, createDecipheriv, createHmac, createPublicKey, diffieHellman } from 'node:crypto';
import { generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import { AppError } from '@signalbox/contracts/errors';
import { KEY_BYTES, toPublicBytes, toPublicKey, SEALING_KEY_BYTES, deriveKeys } from './key-pair.ts';

/** The owner and handle that a value is encrypted for; only both can open the value. */
export interface Seal {
  readonly userKey: string;
  readonly handle: string;
}

/** Encrypts secrets but cannot decrypt them. */
export interface SecretSealer {
  /** Encrypts a value; each call gives a different result. */
  seal(value: string, seal: Seal): Buffer;
  /**
   * Computes a short keyed mark of a value, equal for equal person and value, so that a secret sent twice gets one handle. Reveals
   * nothing without the key.
   */
  mark(userKey: string, kind: string, value: string): string;
}

/** Encrypts and decrypts secrets. */
export interface SecretCipher extends SecretSealer {
  /** Decrypts a sealed value. Throws SECRET_UNREADABLE for another key, person or handle, or changed bytes. */
  open(sealed: Uint8Array, seal: Seal): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The length of a mark, 40 bits: two secrets of a person collide once in a trillion. */
const MARK_LENGTH = 8;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** First bytes of a sealed box. Older values start with a random nonce; a value whose nonce equals these bytes is tried as both. */
const BOX = Buffer.from('sbx1');

/** Creates a sealer from the 64 bytes of `deriveSealingKey`. */
export function createSecretSealer(sealingKey: Uint8Array): SecretSealer {
  const publicKey = toPublicKey(sealingKey.subarray(0, KEY_BYTES));
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

/** Creates a cipher from a 32-byte key. The cipher also opens values sealed by older releases. */
export function createSecretCipher(key: Uint8Array): SecretCipher {
  const { privateKey, sealingKey, legacyKey } = deriveKeys(key);
  return {
    ...createSecretSealer(sealingKey),
    open: (sealed, seal) => {
      const bytes = Buffer.from(sealed);
      try {
        if (bytes.subarray(0, BOX.length).equals(BOX)) return openBox(privateKey, bytes, seal);
      } catch {
        // An older value may have a nonce that starts like a box.
      }
      try {
        return decrypt(legacyKey, bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES), seal);
      } catch (error) {
        throw new AppError('SECRET_UNREADABLE', { handle: seal.handle }, error);
      }
    },
  };
}

/** Seals a value with a one-time key, derived by HKDF from an ephemeral X25519 pair and the public key. */
function sealBox(publicKey: KeyObject, value: string, seal: Seal): Buffer {
  const ephemeral = generateKeyPairSync('x25519');
  const ephemeralKey = toPublicBytes(ephemeral.publicKey);
  const key = deriveBoxKey(
    diffieHellman({ privateKey: ephemeral.privateKey, publicKey }),
    ephemeralKey,
    toPublicBytes(publicKey),
  );
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(NONCE_BYTES), { authTagLength: TAG_BYTES });
  cipher.setAAD(toAdditionalData(seal));
  return Buffer.concat([BOX, ephemeralKey, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function openBox(privateKey: KeyObject, bytes: Buffer, seal: Seal): string {
  const ephemeralKey = bytes.subarray(BOX.length, BOX.length + KEY_BYTES);
  const shared = diffieHellman({ privateKey, publicKey: toPublicKey(ephemeralKey) });
  const key = deriveBoxKey(shared, ephemeralKey, toPublicBytes(createPublicKey(privateKey)));
  return decrypt(key, Buffer.alloc(NONCE_BYTES), bytes.subarray(BOX.length + KEY_BYTES), seal);
}

function deriveBoxKey(shared: Buffer, ephemeral: Buffer, recipient: Buffer): Buffer {
  return Buffer.from(
    hkdfSync('sha256', shared, Buffer.concat([ephemeral, recipient]), 'signalbox secrets: box', KEY_BYTES),
  );
}

function decrypt(key: Uint8Array, nonce: Uint8Array, sealed: Buffer, seal: Seal): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(toAdditionalData(seal));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
}

function toAdditionalData({ userKey, handle }: Seal): Buffer {
  return Buffer.from(JSON.stringify([handle, userKey]));
}
