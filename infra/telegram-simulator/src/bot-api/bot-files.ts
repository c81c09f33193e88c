import { z } from 'zod';
import { createBadRequest } from '../bot-error.ts';
import { parseParameters, type Parameters } from './bot-parameters.ts';
import type { StoredFile } from '../store/event.ts';
import { FileError, type FileKind, storeFile } from '../files/file-store.ts';
import type { Upload } from './multipart.ts';
import type { Store } from '../store/store.ts';

/** Telegram's download limit for bots. */
const MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024;
const GetFile = z.object({ file_id: z.string().default('') });

/** getFile: returns the download path of a file. */
export function getFile(store: Store, parameters: Parameters): object {
  const { file_id } = parseParameters(GetFile, parameters);
  const file = store.state.files.get(file_id);
  if (!file) throw createBadRequest('wrong file_id or the file is temporarily unavailable');
  if (file.sizeBytes > MAX_DOWNLOAD_BYTES) throw createBadRequest('file is too big');
  return { file_id, file_unique_id: file.uniqueId, file_size: file.sizeBytes, file_path: file.path };
}

const NAMES: Readonly<Record<FileKind, string>> = { document: 'Document', photo: 'Photo', voice: 'VoiceNote' };

/** Returns the uploaded file or the earlier file that a call names. Throws BotError 400. */
export function resolveFile(
  store: Store,
  parameters: Parameters,
  options: { readonly kind: FileKind; readonly durationSeconds?: number | undefined },
): StoredFile {
  const { kind } = options;
  const upload = findUpload(parameters, kind);
  if (upload) return storeUpload(store, upload, options);
  const given = parameters.values[kind];
  if (typeof given !== 'string' || given === '' || given.startsWith('attach://')) {
    throw createBadRequest(`there is no ${kind} in the request`);
  }
  // Telegram would fetch the URL; the simulator never contacts other hosts.
  if (/^https?:/i.test(given)) throw createBadRequest('failed to get HTTP URL content');
  const file = store.state.files.get(given);
  if (!file) throw createBadRequest('wrong file identifier/HTTP URL specified');
  if (file.kind !== kind) throw createBadRequest(`can't use file of type ${NAMES[file.kind]} as ${NAMES[kind]}`);
  return file;
}

function findUpload(parameters: Parameters, field: string): Upload | undefined {
  const given = parameters.values[field];
  const attached = typeof given === 'string' ? /^attach:\/\/(.+)$/s.exec(given)?.[1] : undefined;
  return parameters.files.get(attached ?? field);
}

function storeUpload(
  store: Store,
  upload: Upload,
  options: { readonly kind: FileKind; readonly durationSeconds?: number | undefined },
): StoredFile {
  try {
    return storeFile(store, { ...upload, ...options });
  } catch (error) {
    if (error instanceof FileError) throw createBadRequest(error.message);
    throw error;
  }
}
