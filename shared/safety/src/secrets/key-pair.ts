import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';

export const KEY_BYTES = 32;
/** Length of the sealing key in bytes: a public key and the key for marks. */
export const SEALING_KEY_BYTES = 2 * KEY_BYTES;

/** DER prefixes of 32-byte X25519 keys (RFC 8410). */
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');

/** Derives all keys from the secrets key, one per purpose; no key reveals another. */
export function deriveKeys(key: Uint8Array): {
  readonly privateKey: KeyObject;
  readonly sealingKey: Buffer;
  /** The encryption key of older releases. */
  readonly legacyKey: Buffer;
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
    sealingKey: Buffer.concat([toPublicBytes(createPublicKey(privateKey)), derive('mark')]),
    legacyKey: derive('seal'),
  };
}

/** Derives the public key and the mark key, which can seal but not decrypt. Deterministic. */
export function deriveSealingKey(key: Uint8Array): Buffer {
  return deriveKeys(key).sealingKey;
}

/** Creates an X25519 public key from 32 bytes. Throws for other lengths. */
export function toPublicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' });
}

export function toPublicBytes(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
