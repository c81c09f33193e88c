import { GROUP } from './people.ts';

/** A forum topic, except the general one. */
export interface Topic {
  /** Id of the message that created the topic, as in Telegram. */
  readonly topicId: number;
  readonly chatId: number;
  readonly name: string;
}

/** Topics with fixed ids, on which tests rely. */
const TOPICS: readonly Topic[] = ['Deploys', 'Incidents'].map((name, index) => ({
  topicId: 101 + index,
  chatId: GROUP.id,
  name,
}));

export function listTopics(chatId: number): readonly Topic[] {
  return TOPICS.filter((topic) => topic.chatId === chatId);
}
