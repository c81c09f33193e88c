import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';

export const KEY_BYTES = 32;
/** A public key, and the key of the marks. */
export const SEALING_KEY_BYTES = 2 * KEY_BYTES;

/** What stands before the 32 bytes of an X25519 key in DER (RFC 8410). */
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');

/** All that the key of the secrets gives: each for one purpose, and none of them gives back another. */
export function secretKeysOf(key: Uint8Array): {
  readonly privateKey: KeyObject;
  readonly sealingKey: Buffer;
  /** What values were sealed with, and opened, before there were boxes. */
  readonly sealKeyOfBefore: Buffer;
} {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', `signalbox secrets: ${purpose}`, KEY_BYTES));
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, derive('box key')]),
    format: 'der',
    type: 'pkcs8',
  });
  return {
    privateKey,
    sealingKey: Buffer.concat([publicBytes(createPublicKey(privateKey)), derive('mark')]),
    sealKeyOfBefore: derive('seal'),
  };
}

/** The part of the secrets' key that sealing needs: it opens nothing. The same key gives the same. */
export function deriveSealingKey(key: Uint8Array): Buffer {
  return secretKeysOf(key).sealingKey;
}

/** The X25519 key of 32 bytes. Throws when they are none. */
export function publicKeyOf(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' });
}

export function publicBytes(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
