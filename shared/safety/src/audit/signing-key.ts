import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { getKeyId, type AuditKeys } from './checkpoint.ts';

/**
 * Opens the key that signs checkpoints. The first start creates the key, readable only by its owner, with the public key in `<file>.pub`;
 * concurrent starts get the same key. Throws STARTUP_REFUSED when the file holds no key.
 */
export async function openSigningKey(file: string): Promise<KeyObject> {
  const key = (await readKey(file)) ?? (await makeKey(file));
  await publishKey(file, key);
  return key;
}

/** Reads one or more public PEM keys from a file, former keys too. Throws CONFIG_INVALID when the file has no key. */
export async function readPublicKeys(file: string): Promise<AuditKeys> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new AppError('CONFIG_INVALID', { problems: `the public key file ${file} cannot be read` }, error);
  });
  return parsePublicKeys(text);
}

function parsePublicKeys(text: string): AuditKeys {
  const keys = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  if (keys.length === 0) throw new AppError('CONFIG_INVALID', { problems: 'the key file holds no public key in PEM' });
  const parsed = keys.map((pem) => createPublicKey(pem));
  return new Map(parsed.map((key) => [getKeyId(key), key]));
}

async function readKey(file: string): Promise<KeyObject | null> {
  const pem = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw refuse(file, error);
  });
  if (pem === null) return null;
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    throw refuse(file, error);
  }
  throw refuse(file, undefined);
}

/** Written to a temporary name and linked, so that nobody reads half a key; linking fails when another process was first. */
async function makeKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const temporary = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(temporary, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 0o600);
  try {
    await link(temporary, file);
    return privateKey;
  } catch (error) {
    const other = await readKey(file);
    if (other) return other;
    throw refuse(file, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function publishKey(file: string, key: KeyObject): Promise<void> {
  const known = await readFile(`${file}.pub`, 'utf8').catch(() => ''); // the file is missing at first
  const pem = String(createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  if (known.includes(pem.trim())) return;
  await writeDurably(`${file}.pub`, pem, 0o644, 'a');
  await chmod(`${file}.pub`, 0o644);
}

async function writeDurably(file: string, text: string, mode: number, flags = 'wx'): Promise<void> {
  const handle = await open(file, flags, mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function refuse(file: string, cause: unknown): AppError {
  const reason = `AUDIT_KEY_FILE names ${file}, which is not a readable Ed25519 key in PEM. Move it away to have a new one made.`;
  return new AppError('STARTUP_REFUSED', { reason }, cause);
}
