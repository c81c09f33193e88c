import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, findValue, listValues, sql } from '@signalbox/store/sql';

/** A chat leased by this gateway. The database refuses results with an older `epoch`. */
export interface LeasedChat {
  readonly chatKey: string;
  readonly epoch: string;
}

/** How many parts of a row have reached the chat. `trying`: index of a part that may have reached it, or null. */
export interface SendProgress {
  readonly messageIds: readonly string[];
  readonly trying: number | null;
  /** Index of the first part sent without rich formatting; null when all parts are rich. Missing when the row is settled. */
  readonly simpleFrom?: number | null;
}

/** An outbox row that was just marked as being sent. */
export interface OutboxItem {
  readonly id: number;
  readonly userKey: string | null;
  readonly traceId: string;
  readonly slot: string | null;
  readonly priority: number;
  readonly body: OutboundBody;
  readonly attempts: number;
  readonly ageMs: number;
  readonly delivery: SendProgress;
  /** True when an earlier attempt to send part `delivery.trying` may have reached the chat. */
  readonly ambiguous: boolean;
  /** The message that this row edits: the last one sent for the same slot. */
  readonly base: SendProgress | null;
}

/** Result of sending a row. `pending` leaves the row for later; `uncounted` attempts do not count towards the limit. */
export interface RowResult {
  readonly id: number;
  readonly status: 'pending' | 'sent' | 'failed';
  readonly delivery: SendProgress;
  readonly error: string | null;
  readonly uncounted: boolean;
}

export interface ChatLeaseOptions {
  readonly leaseMs: number;
  readonly slotMs: number;
  /** True to claim the chat and pick a row to send; false only to claim the chat. */
  readonly pick: boolean;
}

/** none: the chat was not claimed. moved: the chat has another key now. */
export type ClaimedChat =
  | { readonly state: 'none' }
  | { readonly state: 'moved'; readonly chatKey: string }
  | { readonly state: 'held'; readonly chat: LeasedChat; readonly item: OutboxItem | null };

/** Claims a free chat that has rows to deliver, and picks its first row. One round trip. */
export async function claimChat(
  db: Queryable,
  chatKey: string,
  options: ChatLeaseOptions & { readonly gateway: string },
): Promise<ClaimedChat> {
  const { gateway, leaseMs, pick, slotMs } = options;
  const row = await findRow<{ state: string; epoch: string; target: string; item: ItemRow | null }>(db, 'chat_begin')`
    select * from chat_begin(${chatKey}, ${gateway}, ${leaseMs}, ${pick}, ${slotMs})`;
  if (row?.state === 'held') return { state: 'held', chat: { chatKey, epoch: row.epoch }, item: toItem(row.item) };
  return row?.state === 'moved' ? { state: 'moved', chatKey: row.target } : { state: 'none' };
}

/** lost: another gateway holds the chat, and nothing was written. released: no row is left, or the chat pauses. */
export type NextRow =
  { readonly state: 'lost' | 'released' } | { readonly state: 'held'; readonly item: OutboxItem | null };

/** Writes the result of a row and picks the next row, in one round trip. `pauseMs` releases the chat for that time. Idempotent. */
export async function takeNextRow(
  db: Queryable,
  chat: LeasedChat,
  options: ChatLeaseOptions & { readonly result: RowResult | null; readonly pauseMs: number | null },
): Promise<NextRow> {
  const { result, pauseMs, pick, leaseMs, slotMs } = options;
  const row = await findRow<{ state: 'lost' | 'released' | 'held'; item: ItemRow | null }>(db, 'chat_next')`
    select * from chat_next(${chat.chatKey}, ${chat.epoch}, ${result && toSettlement(result)}::jsonb, ${pauseMs}, ${pick}, ${leaseMs}, ${slotMs})`;
  if (row?.state === 'held') return { state: 'held', item: toItem(row.item) };
  return { state: row?.state ?? 'lost' };
}

/** Stores the progress of a row with several parts. False when the chat was lost, so that no further part may be sent. */
export function storeProgress(db: Queryable, chat: LeasedChat, id: number, delivery: SendProgress): Promise<boolean> {
  return findValue<boolean>(db, false)`
    select chat_note(${chat.chatKey}, ${chat.epoch}, ${id}, ${JSON.stringify(delivery)}::jsonb)`;
}

/** Finds chats with rows that no gateway delivers, after a lost wake-up, a crash or a pause, and marks them as woken. */
export function sweepChats(
  db: Queryable,
  options: { readonly channels: readonly string[]; readonly quietMs: number; readonly maxChats: number },
): Promise<readonly string[]> {
  const { channels, quietMs, maxChats } = options;
  return listValues<string>(db, 'chat_sweep')`select chat_sweep(${channels}, ${quietMs}, ${maxChats})`;
}

/** Dead-letters all rows of a chat and its topics, because the channel refuses messages to it. Returns the number of rows. */
export function parkChat(db: Queryable, chatKey: string, reason: string): Promise<number> {
  return findValue<number>(db, 0)`select chat_park(${chatKey}, ${reason})`;
}

/** Opens a parked chat and its topics: sends the rows, or reports how many were missed. Returns the number of messages to send. */
export function unparkChat(db: Queryable, chatKey: string): Promise<number> {
  return findValue<number>(db, 0)`select chat_unpark(${chatKey})`;
}

/** True when the person has written in this chat before and the chat is not parked. */
export function mayWriteTo(db: Queryable, userKey: string, chatKey: string): Promise<boolean> {
  return findValue<boolean>(db, false)`
    select exists (select 1 from inbox i where i.user_key = ${userKey} and i.chat_key = ${chatKey})
           and not exists (select 1 from chats c where c.chat_key = ${chatKey} and c.parked_at is not null)`;
}

export async function moveChat(db: Queryable, from: string, to: string): Promise<void> {
  await db.query(sql`select chat_move(${from}, ${to})`);
}

interface ItemRow extends Omit<OutboxItem, 'userKey' | 'traceId' | 'ageMs' | 'delivery'> {
  readonly user_key: string | null;
  readonly trace_id: string;
  readonly age_ms: number;
  readonly receipt: SendProgress;
}

function toSettlement({ delivery: receipt, ...rest }: RowResult): string {
  return JSON.stringify({ ...rest, receipt });
}

function toItem(row: ItemRow | null): OutboxItem | null {
  if (!row) return null;
  const { user_key, trace_id, age_ms, receipt: delivery, ...rest } = row;
  return { ...rest, delivery, userKey: user_key, traceId: trace_id, ageMs: age_ms };
}
