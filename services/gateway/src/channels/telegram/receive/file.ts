import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import { cleanFileName } from '@signalbox/contracts/file-name';
import { z } from 'zod';

const sizeBytes = z.int().nonnegative().optional();
const Stored = z.object({ file_id: z.string().min(1).max(400), file_size: sizeBytes });
const Typed = Stored.extend({ mime_type: z.string().optional(), file_name: z.string().optional() });
const Size = Stored.extend({ width: z.number(), height: z.number() });

/** Message fields with files. Animations are also documents, live photos also photos. */
const Files = z.object({
  document: Typed.optional(),
  photo: z.array(Size).min(1).optional(),
  voice: Typed.optional(),
  audio: Typed.optional(),
  video: Typed.optional(),
  video_note: Typed.optional(),
});

/** The attachments of a message; empty when no field holds a readable file. */
export function readAttachments(message: unknown): readonly Attachment[] {
  const parsed = Files.safeParse(message);
  if (!parsed.success) return [];
  const { document, photo, voice, audio, video, video_note: note } = parsed.data;
  const largest = photo?.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
  const found = [
    document && toAttachment('document', document, null),
    largest && toAttachment('photo', largest, 'image/jpeg'),
    voice && toAttachment('voice', voice, 'audio/ogg'),
    audio && toAttachment('audio', audio, null),
    video && toAttachment('video', video, 'video/mp4'),
    note && toAttachment('video', note, 'video/mp4'),
  ];
  return found.filter((one) => one !== undefined);
}

function toAttachment(
  kind: Attachment['kind'],
  file: Partial<z.infer<typeof Typed>>,
  mimeType: string | null,
): Attachment {
  const type = file.mime_type?.replace(/[^\w.+/-]/g, '').slice(0, 120);
  return {
    kind,
    ref: file.file_id ?? '',
    name: file.file_name === undefined ? null : cleanFileName(file.file_name, kind),
    mimeType: type || mimeType,
    sizeBytes: file.file_size ?? null,
  };
}
