import { GROUP } from './people.ts';

/** A topic of the forum. The general one is none of them: its messages have no topic. */
export interface Topic {
  /** The id of the message that says it was created, as at Telegram. */
  readonly topicId: number;
  readonly chatId: number;
  readonly name: string;
}

/** The topics that are there, always the same two. Their ids stay, so that tests can name them. */
const TOPICS: readonly Topic[] = ['Deploys', 'Incidents'].map((name, index) => ({
  topicId: 101 + index,
  chatId: GROUP.id,
  name,
}));

/** The topics of a chat. */
export function listTopics(chatId: number): readonly Topic[] {
  return TOPICS.filter((topic) => topic.chatId === chatId);
}
