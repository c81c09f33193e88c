import { extname } from 'node:path';
import { TextDecoder } from 'node:util';

/** The form in which a file is sent, since WhatsApp takes few types; null when it takes none. */
export interface FileForm {
  readonly type: 'document' | 'image';
  readonly mimeType: string;
}

const MIB = 1024 * 1024;
const MAX_DOCUMENT_BYTES = 100 * MIB;
const MAX_IMAGE_BYTES = 5 * MIB;
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const DOCUMENTS: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.doc': 'application/msword',
  '.xls': 'application/vnd.ms-excel',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.docx': `${OFFICE}.wordprocessingml.document`,
  '.xlsx': `${OFFICE}.spreadsheetml.sheet`,
  '.pptx': `${OFFICE}.presentationml.presentation`,
};
const IMAGES: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg' };

/** Chooses the form by file name, else by whether the content is text. */
export function chooseForm(name: string, bytes: Uint8Array): FileForm | null {
  const extension = extname(name).toLowerCase();
  const image = IMAGES[extension];
  if (image !== undefined && bytes.length <= MAX_IMAGE_BYTES) return { type: 'image', mimeType: image };
  if (bytes.length === 0 || bytes.length > MAX_DOCUMENT_BYTES) return null;
  const known = DOCUMENTS[extension];
  if (known !== undefined) return { type: 'document', mimeType: known };
  return isText(bytes) ? { type: 'document', mimeType: 'text/plain' } : null;
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
