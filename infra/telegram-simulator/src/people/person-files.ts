import { z } from 'zod';
import type { NewFile } from '../files/file-store.ts';
import { FormBody } from '../bot-api/multipart.ts';
import { PersonError } from './person-access.ts';

const Kind = z.enum(['document', 'photo', 'voice']);

/** A person's file in JSON: its bytes in Base64, or only their number. */
export const PersonFile = z
  .strictObject({
    kind: Kind.default('document'),
    name: z.string().min(1).max(255).default('file'),
    type: z.string().default(''),
    data: z.base64().optional(),
    sizeBytes: z.int().positive().optional(),
    durationSeconds: z.int().nonnegative().optional(),
  })
  .refine((file) => (file.data === undefined) !== (file.sizeBytes === undefined), 'a file has data or sizeBytes')
  .transform(({ kind, name, type, data, sizeBytes, durationSeconds }): NewFile => ({
    kind,
    name,
    mimeType: type,
    bytes: data === undefined ? (sizeBytes ?? 0) : Buffer.from(data, 'base64'),
    durationSeconds,
  }));

/** Parses JSON or a form with JSON in `message` and a file per field (`document`, `photo2`). Throws the schema's errors. */
export function parseWithFiles<Schema extends z.ZodType<{ files: NewFile[] }>>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  if (!(body instanceof FormBody)) return schema.parse(body);
  const given = schema.parse(parseJson(body.fields['message']));
  const files = [...body.files].map(([field, { name, mimeType, bytes }]): NewFile => ({
    kind: Kind.parse(field.replace(/\d+$/, '')),
    name: name || 'file',
    mimeType,
    bytes,
  }));
  return { ...given, files: [...given.files, ...files] };
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    throw new PersonError(400, 'The field "message" of the form is no JSON.');
  }
}
