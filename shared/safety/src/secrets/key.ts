import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { KEY_BYTES, SEALING_KEY_BYTES } from './key-pair.ts';

/** The file permission bits of everyone but the owner: the key file decrypts all secrets. */
const OTHERS_MASK = 0o077;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Loads the secrets key from SECRETS_KEY, or from SECRETS_KEY_FILE, which is created when missing; concurrent starts get the same key.
 * Throws STARTUP_REFUSED when others may read the file, or the file holds no key.
 */
export function loadSecretsKey(config: {
  readonly SECRETS_KEY?: string | undefined;
  readonly SECRETS_KEY_FILE: string;
}): Buffer {
  if (config.SECRETS_KEY !== undefined) return parseKey(config.SECRETS_KEY, 'SECRETS_KEY');
  const file = config.SECRETS_KEY_FILE;
  return parseKey(readKeyFile(file) ?? makeKeyFile(file), file);
}

/** Parses SECRETS_SEALING_KEY, with which the gateway seals. Throws STARTUP_REFUSED when it is invalid. */
export function parseSealingKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length === SEALING_KEY_BYTES) return key;
  throw refuse(
    'SECRETS_SEALING_KEY is not made of the key of the secrets. `node infra/docker/make-env.mjs` makes it',
    undefined,
  );
}

function readKeyFile(file: string): string | null {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw refuse(`${file}, the key of the secrets, cannot be read`, error);
  }
  try {
    // The file's mode is checked after opening, so that the checked file is the file that is read.
    const mode = fstatSync(handle).mode;
    if ((mode & OTHERS_MASK) !== 0)
      throw refuse(`others may read ${file}, the key of the secrets. Run: chmod 600 ${file}`, undefined);
    return readFileSync(handle, 'utf8').trim();
  } finally {
    closeSync(handle);
  }
}

/** Writes the file completely before linking it to its name: nobody reads half a key, and the first of two processes wins. */
function makeKeyFile(file: string): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
    const handle = openSync(draft, 'wx', FILE_MODE);
    try {
      writeSync(handle, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    try {
      linkSync(draft, file);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    } finally {
      unlinkSync(draft);
    }
  } catch (error) {
    throw refuse(`${file}, the key of the secrets, cannot be made. Set SECRETS_KEY, or SECRETS_KEY_FILE`, error);
  }
  const key = readKeyFile(file);
  if (key === null) throw refuse(`${file}, the key of the secrets, vanished`, undefined);
  return key;
}

function parseKey(text: string, where: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES)
    throw refuse(`${where} holds no key of 32 bytes in base 64. \`openssl rand -base64 32\` makes one`, undefined);
  return key;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function refuse(reason: string, cause: unknown): AppError {
  return new AppError('STARTUP_REFUSED', { reason: `${reason}.` }, cause);
}
