import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';

/** Whose a sealed value is, and under which name: it opens for nobody and nothing else. */
export interface Seal {
  readonly userKey: string;
  readonly handle: string;
}

/** Seals values with AES-256-GCM under one key. */
export interface SecretCipher {
  /** Nonce, sealed value and tag. Sealing twice gives two different results. */
  seal(value: string, seal: Seal): Buffer;
  /** Throws SECRET_UNREADABLE when the key, the person or the handle is another one, or a byte was changed. */
  open(sealed: Uint8Array, seal: Seal): string;
  /**
   * A short mark of a value: the same for the same person and value, so that what is sent twice has one handle. Says nothing about
   * the value to whoever has no key.
   */
  mark(userKey: string, kind: string, value: string): string;
}

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Forty bits: two of a person's secrets get the same mark once in a trillion. */
const MARK_LENGTH = 8;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A cipher for a key of 32 bytes. Sealing and marking use keys of their own, made of this one. */
export function createSecretCipher(key: Uint8Array): SecretCipher {
  const sealKey = Buffer.from(hkdfSync('sha256', key, '', 'signalbox secrets: seal', KEY_BYTES));
  const markKey = Buffer.from(hkdfSync('sha256', key, '', 'signalbox secrets: mark', KEY_BYTES));
  return {
    seal: (value, seal) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(seal));
      return Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, seal) => {
      try {
        const bytes = Buffer.from(sealed);
        const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(boundTo(seal));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch (error) {
        throw new AppError('SECRET_UNREADABLE', { handle: seal.handle }, error);
      }
    },
    mark: (userKey, kind, value) => {
      const digest = createHmac('sha256', markKey)
        .update(JSON.stringify([userKey, kind, value]))
        .digest();
      return [...digest.subarray(0, MARK_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    },
  };
}

function boundTo({ userKey, handle }: Seal): Buffer {
  return Buffer.from(JSON.stringify([handle, userKey]));
}
