import { z } from 'zod';
import { GROUP } from '../people/people.ts';

/** A topic of the forum. The general one is none of them: its messages have no topic. */
export const Topic = z.object({
  /** The id of the message that says it was created, as at Telegram. */
  topicId: z.int(),
  chatId: z.int(),
  name: z.string(),
  iconColor: z.int(),
  creatorId: z.int(),
  /** Unix seconds. */
  date: z.int(),
});
export type Topic = Readonly<z.infer<typeof Topic>>;

const CREATED_AT = 1_700_000_000;

/** The topics that are there at the first start. Their ids stay the same, so that tests can name them. */
export const FIRST_TOPICS: readonly Topic[] = ['Deploys', 'Incidents'].map((name, index) => ({
  topicId: 101 + index,
  chatId: GROUP.id,
  name,
  iconColor: [7_322_096, 16_766_590][index] ?? 0,
  creatorId: 1001,
  date: CREATED_AT,
}));
