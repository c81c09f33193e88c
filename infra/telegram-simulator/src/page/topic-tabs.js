import { badge, byId, element } from './element.js';
import { morphChildren } from './morph.js';

/** Draws the topics of a group above its messages, the general one first. */
export function renderTopics(store, { person, chat, topic }) {
  const topics = store.topicsOf(chat.id);
  byId('topics').hidden = topics.length === 0;
  const all = [{ topicId: null, name: 'General', iconColor: null, isClosed: false }, ...topics];
  morphChildren(
    byId('topics'),
    all.map((one) => renderTopic(one, one.topicId === topic, store.unread(person.id, chat.id, one.topicId))),
  );
}

function renderTopic({ topicId, name, iconColor, isClosed }, isCurrent, unread) {
  return element(
    'button',
    {
      type: 'button',
      class: 'topic',
      'aria-current': isCurrent ? 'true' : false,
      data: { topic: String(topicId), key: String(topicId) },
    },
    iconColor === null ? null : element('i', { class: 'topic-dot', data: { color: String(iconColor) } }),
    element('span', { class: 'topic-name', dir: 'auto' }, name),
    isClosed ? element('span', { class: 'topic-closed' }, 'closed') : null,
    badge(unread),
  );
}
