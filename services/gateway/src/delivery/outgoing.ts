import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, findValue, listValues, sql } from '@signalbox/store/sql';

/** A chat that we hold. `epoch` is the fencing token: results written under an older one are refused. */
export interface LeasedChat {
  readonly chatKey: string;
  readonly epoch: string;
}

/** What of a row has reached its chat (the column `receipt`), part by part. `trying` is the place of a part whose fate is open; null when none is. */
export interface Delivery {
  readonly messageIds: readonly string[];
  readonly trying: number | null;
  /** The place from which the parts are those of the simple form; null while all are of the rich one. Left out at the end. */
  readonly simpleFrom?: number | null;
}

/** An outbox row that was just marked as being sent. */
export interface OutboxItem {
  readonly id: number;
  readonly userKey: string | null;
  readonly traceId: string;
  readonly slot: string | null;
  readonly body: OutboundBody;
  /** This try included. */
  readonly attempts: number;
  readonly ageMs: number;
  readonly delivery: Delivery;
  /** An earlier try of part `delivery.trying` may have arrived. */
  readonly ambiguous: boolean;
  /** The message of the same slot that this one edits. */
  readonly base: Delivery | null;
}

/** What became of an outbox row. `pending` leaves it for a later try, which does not count as one when `uncounted`. */
export interface RowResult {
  readonly id: number;
  readonly status: 'pending' | 'sent' | 'failed';
  readonly delivery: Delivery;
  readonly error: string | null;
  readonly uncounted: boolean;
}

export interface LaneOptions {
  readonly leaseMs: number;
  /** A slot is changed at most this often. */
  readonly slotMs: number;
  /** Whether to pick a row now; without it the chat is only held. */
  readonly pick: boolean;
}

/** none: nothing is held. moved: the chat has another key now. */
export type ClaimedChat =
  | { readonly state: 'none' }
  | { readonly state: 'moved'; readonly chatKey: string }
  | { readonly state: 'held'; readonly chat: LeasedChat; readonly item: OutboxItem | null };

/** Takes a chat if it is free and has something to deliver, and picks its first row. One round trip. */
export async function claimChat(
  db: Queryable,
  chatKey: string,
  options: LaneOptions & { readonly gateway: string },
): Promise<ClaimedChat> {
  const { gateway, leaseMs, pick, slotMs } = options;
  const row = await findRow<{ state: string; epoch: string; target: string; item: ItemRow | null }>(db, 'chat_begin')`
    select * from chat_begin(${chatKey}, ${gateway}, ${leaseMs}, ${pick}, ${slotMs})`;
  if (row?.state === 'held') return { state: 'held', chat: { chatKey, epoch: row.epoch }, item: toItem(row.item) };
  return row?.state === 'moved' ? { state: 'moved', chatKey: row.target } : { state: 'none' };
}

/** lost: another gateway took over, nothing was written. released: nothing is left, or the chat pauses. */
export type Next =
  { readonly state: 'lost' | 'released' } | { readonly state: 'held'; readonly item: OutboxItem | null };

/**
 * Writes what became of a row and picks the next one, in one round trip. With `pauseMs` the chat is released instead
 * and no gateway sends there before that time. Idempotent.
 */
export async function nextOfChat(
  db: Queryable,
  chat: LeasedChat,
  options: LaneOptions & { readonly result: RowResult | null; readonly pauseMs: number | null },
): Promise<Next> {
  const { result, pauseMs, pick, leaseMs, slotMs } = options;
  const row = await findRow<{ state: 'lost' | 'released' | 'held'; item: ItemRow | null }>(db, 'chat_next')`
    select * from chat_next(${chat.chatKey}, ${chat.epoch}, ${result && toSettlement(result)}::jsonb, ${pauseMs}, ${pick}, ${leaseMs}, ${slotMs})`;
  if (row?.state === 'held') return { state: 'held', item: toItem(row.item) };
  return { state: row?.state ?? 'lost' };
}

/** Notes how far a row of several parts has come. False when the chat was lost: send no more. */
export function noteDelivery(db: Queryable, chat: LeasedChat, id: number, delivery: Delivery): Promise<boolean> {
  return findValue<boolean>(db, false)`
    select chat_note(${chat.chatKey}, ${chat.epoch}, ${id}, ${JSON.stringify(delivery)}::jsonb)`;
}

/** Extends the leases of these chats. Returns the keys of those that were lost. One round trip. */
export function beatChats(
  db: Queryable,
  gateway: string,
  chats: readonly LeasedChat[],
  leaseMs: number,
): Promise<readonly string[]> {
  const [keys, epochs] = [chats.map(({ chatKey }) => chatKey), chats.map(({ epoch }) => epoch)];
  return listValues<string>(db, 'chat_beat')`select chat_beat(${gateway}, ${keys}, ${epochs}, ${leaseMs})`;
}

/** Chats of these channels whose rows no gateway delivers: a lost wake-up, a dead gateway, a pause that is over. Marks them as woken. */
export function sweepChats(
  db: Queryable,
  options: { readonly channels: readonly string[]; readonly quietMs: number; readonly maxChats: number },
): Promise<readonly string[]> {
  const { channels, quietMs, maxChats } = options;
  return listValues<string>(db, 'chat_sweep')`select chat_sweep(${channels}, ${quietMs}, ${maxChats})`;
}

/** The channel refuses this chat: gives up what waits there and in its topics, with dead letters. Returns how many rows that were. */
export function parkChat(db: Queryable, chatKey: string, reason: string): Promise<number> {
  return findValue<number>(db, 0)`select chat_park(${chatKey}, ${reason})`;
}

/**
 * The channel lets us write to this chat and its topics again: what was given up there goes out, or the chat is told how much it missed.
 * Returns how many messages there are to send.
 */
export function unparkChat(db: Queryable, chatKey: string): Promise<number> {
  return findValue<number>(db, 0)`select chat_unpark(${chatKey})`;
}

/** Whether we may write to a person in this chat: they wrote there before, and it is not parked. */
export function mayWriteTo(db: Queryable, userKey: string, chatKey: string): Promise<boolean> {
  return findValue<boolean>(db, false)`
    select exists (select 1 from inbox i where i.user_key = ${userKey} and i.chat_key = ${chatKey})
           and not exists (select 1 from chats c where c.chat_key = ${chatKey} and c.parked_at is not null)`;
}

/** A chat has a new key: its open rows, threads, runs and topics follow. Idempotent. */
export async function moveChat(db: Queryable, from: string, to: string): Promise<void> {
  await db.query(sql`select chat_move(${from}, ${to})`);
}

interface ItemRow extends Omit<OutboxItem, 'userKey' | 'traceId' | 'ageMs' | 'delivery'> {
  readonly user_key: string | null;
  readonly trace_id: string;
  readonly age_ms: number;
  readonly receipt: Delivery;
}

function toSettlement({ delivery: receipt, ...rest }: RowResult): string {
  return JSON.stringify({ ...rest, receipt });
}

function toItem(row: ItemRow | null): OutboxItem | null {
  if (!row) return null;
  const { user_key, trace_id, age_ms, receipt: delivery, ...rest } = row;
  return { ...rest, delivery, userKey: user_key, traceId: trace_id, ageMs: age_ms };
}
