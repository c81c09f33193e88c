import type { Message } from 'grammy/types';
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
  const shared = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.sizeBytes };
  switch (file.kind) {
    case 'document':
      return { document: { ...shared, file_name: file.name, mime_type: file.mimeType } };
    case 'voice':
      return { voice: { ...shared, duration: file.durationSeconds ?? 0, mime_type: file.mimeType } };
    case 'photo':
      return { photo: [{ ...shared, width: file.width ?? 0, height: file.height ?? 0 }] };
  }
}
