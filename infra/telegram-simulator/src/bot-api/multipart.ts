import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';

/** A file that came with a form. */
export interface Upload {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** A form: texts and files by the names of their fields. */
export class FormBody {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, Upload>;

  constructor(fields: Readonly<Record<string, string>>, files: ReadonlyMap<string, Upload>) {
    this.fields = fields;
    this.files = files;
  }
}

/** What Telegram takes from a bot in one request. */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** A text field is JSON of a few kilobytes; this is what any other body may have. */
const MAX_FIELD_BYTES = 4 * 1024 * 1024;

/**
 * Reads a form into memory. Rejects with an error that has a `statusCode`: 400 if it is no form, 413 beyond 50 MB. It is
 * read to its end in any case, because a client that is still sending hears no answer.
 */
export async function readForm(request: IncomingMessage): Promise<FormBody> {
  const contentType = request.headers['content-type'] ?? '';
  const fields: Record<string, string> = {};
  const files = new Map<string, Upload>();
  let sizeBytes = 0;
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown): void => {
      request.unpipe();
      request.resume();
      reject(Object.assign(new Error("can't parse the form of the request", { cause }), { statusCode: 400 }));
    };
    const parser = createParser(contentType, request.headers, fail);
    if (!parser) return;
    parser.on('field', (name, value) => {
      fields[name] ??= value;
    });
    parser.on('file', (field, stream, name, _encoding, mimeType) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => {
        sizeBytes += part.length;
        if (sizeBytes <= MAX_UPLOAD_BYTES) parts.push(part);
      });
      stream.on('error', fail);
      stream.on('end', () => {
        files.set(field, { name, mimeType, bytes: Buffer.concat(parts) });
      });
    });
    parser.on('error', fail);
    parser.on('finish', resolve);
    request.on('error', fail);
    request.pipe(parser);
  });
  if (sizeBytes > MAX_UPLOAD_BYTES) throw Object.assign(new Error('Request Entity Too Large'), { statusCode: 413 });
  return new FormBody(fields, files);
}

/** The library throws at once if the header names no boundary. */
function createParser(
  contentType: string,
  headers: IncomingMessage['headers'],
  fail: (cause: unknown) => void,
): InstanceType<typeof Busboy> | null {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': contentType }, limits: { fieldSize: MAX_FIELD_BYTES } });
  } catch (cause) {
    fail(cause);
    return null;
  }
}
