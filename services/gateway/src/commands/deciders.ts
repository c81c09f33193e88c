import { approverChats } from '@signalbox/store/governance/approvals';
import type { Queryable } from '@signalbox/store/pool';
import type { Asked, Notice } from './question.ts';

/** Notices for everyone who decides about requests: one per chat, and none for the chat where it was said. */
export async function noticeToDeciders(
  db: Queryable,
  { envelope }: Asked,
  text: Notice['text'],
): Promise<readonly Notice[]> {
  const chats = await approverChats(db, 'operator', [envelope.userKey]);
  return chats.filter(({ chatKey }) => chatKey !== envelope.chatKey).map((chat) => ({ ...chat, text }));
}
