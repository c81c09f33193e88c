import type { MessageView } from '../../people/message-view.ts';
import type { Service } from '../../store/event.ts';

const LONGEST = 160;

/** What happened, without who did it. */
export function describeService(service: Service): string {
  switch (service.kind) {
    case 'topicCreated':
      return `created the topic ${service.name}`;
    case 'topicEdited':
      return `renamed the topic to ${service.name}`;
    case 'topicClosed':
      return 'closed the topic';
    case 'topicReopened':
      return 'opened the topic again';
  }
}

/** A line that stands for a message. */
export function summaryOf({ deleted, service, text, file }: MessageView): string {
  if (deleted) return 'Deleted message';
  if (service) return describeService(service);
  if (text !== '' || !file) return text.slice(0, LONGEST);
  const names = { photo: 'Photo', voice: 'Voice message', document: file.name };
  return names[file.kind];
}
