import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';

/** A file uploaded in a form. */
export interface Upload {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** A parsed form: texts and files by field name. */
export class FormBody {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, Upload>;

  constructor(fields: Readonly<Record<string, string>>, files: ReadonlyMap<string, Upload>) {
    this.fields = fields;
    this.files = files;
  }
}

/** Telegram's upload limit for bots. */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** Same limit as for other bodies; a text field is JSON of a few kilobytes. */
const MAX_FIELD_BYTES = 4 * 1024 * 1024;

/** Reads a form into memory, to its end so that the client gets the response. Rejects with `statusCode` 400, or 413 beyond 50 MB. */
export async function readForm(request: IncomingMessage): Promise<FormBody> {
  const fields: Record<string, string> = {};
  const files = new Map<string, Upload>();
  let sizeBytes = 0;
  const read = new Promise<void>((resolve, reject) => {
    // Throws at once when the header has no boundary.
    const parser = new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      limits: { fieldSize: MAX_FIELD_BYTES },
    });
    parser.on('field', (name, value) => {
      fields[name] ??= value;
    });
    parser.on('file', (field, stream, name, _encoding, mimeType) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => {
        sizeBytes += part.length;
        if (sizeBytes <= MAX_UPLOAD_BYTES) parts.push(part);
      });
      stream.on('error', reject);
      stream.on('end', () => {
        files.set(field, { name, mimeType, bytes: Buffer.concat(parts) });
      });
    });
    parser.on('error', reject);
    parser.on('finish', resolve);
    request.on('error', reject);
    request.pipe(parser);
  });
  await read.catch((cause: unknown) => {
    request.unpipe();
    request.resume();
    throw Object.assign(new Error("can't parse the form of the request", { cause }), { statusCode: 400 });
  });
  if (sizeBytes > MAX_UPLOAD_BYTES) throw Object.assign(new Error('Request Entity Too Large'), { statusCode: 413 });
  return new FormBody(fields, files);
}
