import type { Document, Message } from 'grammy/types';
import type { StoredFile } from './event.ts';

/** A file in the person API. */
export interface FileView extends Omit<StoredFile, 'uniqueId' | 'path' | 'hasBytes'> {
  /** URL of the contents; null when only the size is known. */
  readonly url: string | null;
}

export function toFileView({ uniqueId: _id, path: _path, hasBytes, ...same }: StoredFile): FileView {
  return { ...same, url: hasBytes ? `/api/files/${same.fileId}` : null };
}

/** Builds the Bot API fields of a message's file. */
export function toMediaFields(file: StoredFile): Partial<Message> {
  const shared = toShared(file);
  switch (file.kind) {
    case 'document':
      return { document: { ...shared, file_name: file.name, mime_type: file.mimeType } };
    case 'voice':
      return { voice: { ...shared, duration: file.durationSeconds ?? 0, mime_type: file.mimeType } };
    case 'photo':
      return { photo: [{ ...shared, width: file.width ?? 0, height: file.height ?? 0 }] };
  }
}

function toShared({
  fileId,
  uniqueId,
  sizeBytes,
}: StoredFile): Pick<Document, 'file_id' | 'file_unique_id' | 'file_size'> {
  return { file_id: fileId, file_unique_id: uniqueId, file_size: sizeBytes };
}
