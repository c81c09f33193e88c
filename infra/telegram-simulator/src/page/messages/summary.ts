import type { MessageView } from '../../store/message-view.ts';

const LONGEST = 160;

/** Returns a one-line summary of a message. */
export function summarizeMessage({ deleted, text, file }: MessageView): string {
  if (deleted) return 'Deleted message';
  if (text !== '' || !file) return text.slice(0, LONGEST);
  const names = { photo: 'Photo', voice: 'Voice message', document: file.name };
  return names[file.kind];
}
