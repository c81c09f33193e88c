import type { Queryable } from '@signalbox/store/pool';
import { prepareSql, sql } from '@signalbox/store/sql';
import type { AppError } from '@signalbox/contracts/errors';
import { createFailedResult, type ToolCallResult } from '../calls/call.ts';

/** Notes that a conversation reads outside text. Store it before the model sees the text. Idempotent. */
export async function taintThread(db: Queryable, threadId: string, source: string): Promise<void> {
  await db.query(prepareSql('taint_thread')`select taint_thread(${threadId}, ${source}, clock_timestamp())`);
}

/** Taints a conversation by messages that carry other people's text, as of their arrival. Without messages it does nothing. */
export async function taintByMessages(
  db: Queryable,
  text: { readonly threadId: string; readonly source: string; readonly messages: readonly { readonly id: number }[] },
): Promise<void> {
  if (text.messages.length === 0) return;
  await db.query(sql`select taint_thread(${text.threadId}, ${text.source}, max(received_at)) from inbox
      where id = any (${text.messages.map(({ id }) => id)}) having count(*) > 0`);
}

/** Returns a failure for the model. When it quotes an outsider, the conversation is tainted first. */
export async function reportFailure(
  db: Queryable,
  threadId: string,
  call: { readonly name: string; readonly input: unknown },
  error: AppError,
): Promise<ToolCallResult> {
  const result = createFailedResult(error, call.input);
  if (result.untrusted) await taintThread(db, threadId, call.name);
  return result;
}
