import { element } from './element.js';

/** A line between the messages that says what happened. */
export function renderService({ messageId, from, service }) {
  return element(
    'div',
    { class: 'day', dir: 'auto', data: { key: `m${messageId}` } },
    `${from.name} ${describeService(service)}`,
  );
}

/** What happened, without who did it. */
export function describeService({ kind, name }) {
  switch (kind) {
    case 'topicCreated':
      return `created the topic ${name}`;
    case 'topicEdited':
      return `renamed the topic to ${name}`;
    case 'topicClosed':
      return 'closed the topic';
    case 'topicReopened':
      return 'opened the topic again';
    default:
      return 'changed the chat';
  }
}
