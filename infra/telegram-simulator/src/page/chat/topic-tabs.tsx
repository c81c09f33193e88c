import type { VNode } from 'preact';
import { usePage, usePlace } from '../state/context.ts';
import { Badge } from '../theme/avatar.tsx';

/** The topics of a group, the general one first. */
export function TopicTabs(): VNode | null {
  const [page, place] = [usePage(), usePlace()];
  const { person, chat, topic } = place;
  const topics = page.store.topicsOf(chat);
  if (topics.length === 0) return null;
  const general = { topicId: null, name: 'General' };
  return (
    <nav class="topics" aria-label="Topics">
      {[general, ...topics].map(({ topicId, name }) => (
        <button
          key={topicId}
          class="topic"
          aria-current={topicId === topic}
          onClick={() => page.go({ ...place, topic: topicId })}
        >
          <span class="clip">{name}</span>
          <Badge count={page.store.unread(person.id, chat.id, topicId)} />
        </button>
      ))}
    </nav>
  );
}
