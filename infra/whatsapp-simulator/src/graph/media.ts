import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Media, Store } from '../store/store.ts';
import { GraphError } from './graph-error.ts';

const MIB = 1024 * 1024;
/** A media address is valid for this time. */
const ADDRESS_MS = 5 * 60_000;

/** Accepted media types with their maximum sizes, from Meta's reference. */
const LIMITS: readonly { readonly types: RegExp; readonly maxBytes: number }[] = [
  { types: /^audio\/(aac|amr|mpeg|mp4|ogg|opus)$/, maxBytes: 16 * MIB },
  { types: /^image\/(jpeg|png)$/, maxBytes: 5 * MIB },
  { types: /^image\/webp$/, maxBytes: 500 * 1024 },
  { types: /^video\/(mp4|3gpp)$/, maxBytes: 16 * MIB },
  {
    types:
      /^(text\/plain|application\/(pdf|msword|vnd\.ms-(excel|powerpoint)|vnd\.openxmlformats-officedocument\.[\w.]+))$/,
    maxBytes: 100 * MIB,
  },
];
export const MAX_UPLOAD_BYTES = 101 * MIB;

interface Upload {
  readonly file: { readonly mimeType: string; readonly bytes: Buffer; readonly name: string | null } | null;
  readonly problems: readonly string[];
  readonly logged: unknown;
}

/** Reads an upload form with `messaging_product`, `type` and `file`. */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
  const form = await readForm(request);
  if (form === null) return { file: null, problems: ['the body is no form'], logged: null };
  const [file, type] = [form.get('file'), form.get('type')];
  const unknown = [...form.keys()].filter((key) => !['file', 'type', 'messaging_product'].includes(key));
  const problems = [
    ...unknown.map((key) => `${key} is unknown`),
    ...(form.get('messaging_product') === 'whatsapp' ? [] : ['messaging_product is not whatsapp']),
  ];
  if (!(file instanceof File)) return { file: null, problems: [...problems, 'file is missing'], logged: null };
  const mimeType = (typeof type === 'string' ? type : file.type).split(';')[0] ?? '';
  const limit = LIMITS.find(({ types }) => types.test(mimeType));
  if (!limit) problems.push(`file must not be of the type ${mimeType}`);
  else if (file.size > limit.maxBytes) problems.push(`file is larger than ${limit.maxBytes} bytes`);
  if (file.size === 0) problems.push('file is empty');
  const bytes = Buffer.from(await file.arrayBuffer());
  return { file: { mimeType, bytes, name: file.name }, problems, logged: { mimeType, sizeBytes: file.size } };
}

/** Finds media by id. Throws GraphError. */
export function findMedia(store: Store, id: string): Media {
  const media = store.media.get(id);
  if (!media) throw new GraphError(100, `Object with ID '${id}' does not exist`);
  return media;
}

/** Returns the download address of a file, valid for five minutes. */
export function toMediaAddress(store: Store, media: Media, origin: string): object {
  const ext = String(store.now() + ADDRESS_MS);
  const query = new URLSearchParams({ mid: media.id, ext, hash: hashOf(media.id, ext) });
  return {
    messaging_product: 'whatsapp',
    url: `${origin}/whatsapp_business/attachments/?${query.toString()}`,
    mime_type: media.mimeType,
    sha256: createHash('sha256').update(media.bytes).digest('hex'),
    file_size: media.bytes.length,
    id: media.id,
  };
}

/** Checks a download address. Throws GraphError when it is modified or expired. */
export function requireFresh(
  store: Store,
  { media, ext, hash }: { readonly media: Media; readonly ext: string; readonly hash: string },
): void {
  if (hash !== hashOf(media.id, ext)) throw new GraphError(100, 'The address was changed.');
  if (store.now() > Number(ext)) throw new GraphError(131052, 'The address has expired.', 404);
}

function hashOf(id: string, ext: string): string {
  return createHash('sha256').update(`${id}:${ext}`).digest('base64url');
}

async function readForm({ body, headers }: FastifyRequest): Promise<FormData | null> {
  if (!Buffer.isBuffer(body)) return null;
  const type = headers['content-type'] ?? '';
  return new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData().catch(() => null);
}
