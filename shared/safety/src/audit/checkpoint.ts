import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { toCanonicalJson } from '../cards/canonical.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** The signed statement about an audit history: its id, its number of events and their hashes. */
export const CheckpointStatement = z.object({
  logId: z.string().min(1).max(100),
  size: z.int().positive(),
  /** The root of the Merkle tree over the first `size` events. */
  rootHash: Hash,
  /** The chain hash of event number `size`. */
  chainHash: Hash,
  /** Time of signing, ISO 8601. */
  at: z.string().min(1).max(40),
  keyId: z.string().min(1).max(100),
});
export type CheckpointStatement = z.infer<typeof CheckpointStatement>;

/** A statement with its Ed25519 signature in base64. */
export const Checkpoint = CheckpointStatement.extend({ signature: z.string().max(200) });
export type Checkpoint = z.infer<typeof Checkpoint>;

/**
 * A line of the checkpoint file outside of the database. `leaves` are the leaf hashes (32 bytes each, base64) of the events since the
 * previous line, with which a verifier can name the changed event.
 */
export const CheckpointLine = Checkpoint.extend({ leaves: z.base64().default('') });
export type CheckpointLine = z.infer<typeof CheckpointLine>;

/** Public keys by id. */
export type AuditKeys = ReadonlyMap<string, KeyObject>;

/** Returns the id of a private or public key: the first 16 hex digits of the public key's hash. */
export function getKeyId(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** Signs a statement with the key, and adds the key's id. */
export function signCheckpoint(statement: Omit<CheckpointStatement, 'keyId'>, key: KeyObject): Checkpoint {
  const full = { ...statement, keyId: getKeyId(key) };
  return { ...full, signature: sign(null, signedBytes(full), key).toString('base64') };
}

/** Explains, as part of a sentence, why a signature is invalid; null when one of the keys made it. */
export function findSignatureProblem(checkpoint: Checkpoint, keys: AuditKeys): string | null {
  const key = keys.get(checkpoint.keyId);
  if (!key) return `its key ${checkpoint.keyId} is not among the given ones`;
  const signature = Buffer.from(checkpoint.signature, 'base64');
  return verify(null, signedBytes(checkpoint), key, signature) ? null : 'its signature is not that of its key';
}

function signedBytes({ at, chainHash, keyId, logId, rootHash, size }: CheckpointStatement): Buffer {
  const text = toCanonicalJson({ at, chainHash, keyId, logId, rootHash, size });
  return Buffer.from(`signalbox audit checkpoint v1\n${text}`);
}
