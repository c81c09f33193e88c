import type { MessageView } from '../../store/message-view.ts';

const LONGEST = 160;

/** A line that stands for a message. */
export function summaryOf({ deleted, text, file }: MessageView): string {
  if (deleted) return 'Deleted message';
  if (text !== '' || !file) return text.slice(0, LONGEST);
  const names = { photo: 'Photo', voice: 'Voice message', document: file.name };
  return names[file.kind];
}
