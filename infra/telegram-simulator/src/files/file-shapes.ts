import type { Document, Message, PhotoSize, Voice } from 'grammy/types';
import type { StoredFile } from '../store/event.ts';
import type { State } from '../store/state.ts';

/** A file of a message as the person API shows it. */
export interface FileView {
  readonly kind: StoredFile['kind'];
  readonly fileId: string;
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  /** Where its bytes are; null if only its size is known. */
  readonly url: string | null;
}

/** A file in the person API's shape. */
export function toFileView(file: StoredFile): FileView {
  const { kind, fileId, name, mimeType, sizeBytes, width, height, durationSeconds } = file;
  const url = file.hasBytes ? `/api/files/${fileId}` : null;
  return { kind, fileId, name, mimeType, sizeBytes, width, height, durationSeconds, url };
}

/** The fields of a message that hold its file, in the Bot API's shape. */
export function toMediaFields(state: State, file: StoredFile): Partial<Message> {
  switch (file.kind) {
    case 'document':
      return { document: toDocument(file) };
    case 'voice':
      return { voice: toVoice(file) };
    case 'photo':
      return { photo: toPhotoSizes(state, file) };
  }
}

function toDocument(file: StoredFile): Document {
  return {
    file_id: file.fileId,
    file_unique_id: file.uniqueId,
    file_name: file.name,
    mime_type: file.mimeType,
    file_size: file.sizeBytes,
  };
}

function toVoice(file: StoredFile): Voice {
  return {
    file_id: file.fileId,
    file_unique_id: file.uniqueId,
    duration: file.durationSeconds ?? 0,
    mime_type: file.mimeType,
    file_size: file.sizeBytes,
  };
}

/** The smallest first. */
function toPhotoSizes(state: State, file: StoredFile): PhotoSize[] {
  const small = file.thumbnailId === null ? undefined : state.files.get(file.thumbnailId);
  return [...(small ? [small] : []), file].map((one) => ({
    file_id: one.fileId,
    file_unique_id: one.uniqueId,
    width: one.width ?? 0,
    height: one.height ?? 0,
    file_size: one.sizeBytes,
  }));
}
