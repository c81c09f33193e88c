import { listApproverChats } from '@signalbox/store/governance/approvals';
import type { Queryable } from '@signalbox/store/pool';
import type { QuestionContext, Notice } from './question.ts';

/** Builds one notice per chat of the people who decide about requests, except the chat of the command. */
export async function createDeciderNotices(
  db: Queryable,
  { envelope }: QuestionContext,
  text: Notice['text'],
): Promise<readonly Notice[]> {
  const chats = await listApproverChats(db, 'operator', [envelope.userKey]);
  return chats.filter(({ chatKey }) => chatKey !== envelope.chatKey).map((chat) => ({ ...chat, text }));
}
