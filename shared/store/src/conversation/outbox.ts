import type { Lane } from './lane.ts';
import { getCurrentLanguage, DEFAULT_LANGUAGE, runInLanguage } from '@signalbox/messages/language';
import type { OutboundEnvelope, Receipt } from '@signalbox/contracts/conversation/envelope';
import { redactText } from '@signalbox/safety/redact/redact';
import { makeStorable } from '@signalbox/contracts/storable';
import { readLanguages } from '../people/users.ts';
import type { Queryable } from '../pool.ts';
import { findValue, listRows, listValues } from '../sql.ts';

/**
 * Copies a message for storage, with the current language. Redacts secrets, and replaces characters that Postgres cannot store. Keeps ids
 * and keys.
 */
export function redactRow(row: OutboundEnvelope): OutboundEnvelope {
  const { text, buttons, files, afterwards, receipts } = row.body;
  const language = getCurrentLanguage();
  const body = {
    ...row.body,
    ...(language === DEFAULT_LANGUAGE ? {} : { language }),
    text: redactText(text),
    buttons: buttons.map((button) => ({ ...button, label: redactText(button.label), value: redactText(button.value) })),
    ...(receipts === undefined ? {} : { receipts: receipts.map((one) => ({ ...one, what: redactText(one.what) })) }),
    ...(files === undefined ? {} : { files: files.map((file) => ({ ...file, name: redactText(file.name) })) }),
    ...(afterwards === undefined ? {} : { afterwards: redactText(afterwards) }),
  };
  return makeStorable({ ...row, body });
}

/**
 * Puts messages into the outbox, one row per key. The caller wakes the gateway after the commit. `asIs` skips redaction, for public
 * values (such as a signature) that look like a key.
 */
export async function putOutbox(
  db: Queryable,
  rows: readonly OutboundEnvelope[],
  { asIs = false } = {},
): Promise<readonly { readonly id: string; readonly chatKey: string }[]> {
  if (rows.length === 0) return [];
  return listRows<{ id: string; chatKey: string }>(db, 'outbox_put')`
    select id, chat_key as "chatKey" from outbox_put(${JSON.stringify(asIs ? rows : rows.map(redactRow))}::jsonb)`;
}

/** Puts one message into each of these chats, in the language of its reader. Groups get English. */
export async function putLocalized(
  db: Queryable,
  chats: readonly string[],
  row: (chatKey: string) => OutboundEnvelope,
): Promise<readonly { readonly id: string; readonly chatKey: string }[]> {
  const readers = chats.map((chatKey) => ({ userKey: null, chatKey }));
  const languages = chats.length === 0 ? [] : await readLanguages(db, readers);
  const put: { readonly id: string; readonly chatKey: string }[] = [];
  for (const [place, chatKey] of chats.entries())
    put.push(...(await runInLanguage(languages[place], () => putOutbox(db, [row(chatKey)]))));
  return put;
}

/** Reads the receipts of a slot's current message; empty when the slot has no message. */
export function findReceipts(db: Queryable, chatKey: string, slot: string): Promise<readonly Receipt[]> {
  return findValue<readonly Receipt[]>(db, [])`
    select body -> 'receipts' from outbox where chat_key = ${chatKey} and slot = ${slot} order by id desc limit 1`;
}

/** How many of a person's newest messages are read for what they point to. */
const MAX_READ_BACK = 200;

/** Lists those of these requests at whose cards a message pointed this person in this chat within `withinMs`. */
export function listPointedRequests(
  db: Queryable,
  { userKey, chatKey }: { readonly userKey: string; readonly chatKey: string },
  approvalIds: readonly string[],
  withinMs: number,
): Promise<readonly string[]> {
  return listValues<string>(db)`
    select distinct p.id from (
      select o.body, o.chat_key, o.created_at from outbox o where o.user_key = ${userKey} order by o.id desc limit ${MAX_READ_BACK}) o,
           jsonb_array_elements_text(o.body -> 'pointsTo') as p (id)
     where o.chat_key = ${chatKey} and o.created_at > clock_timestamp() - ${withinMs} * interval '1 ms' and p.id = any (${approvalIds})`;
}

/** Puts messages into the outbox during a turn. False, with nothing written, when the lane was lost. */
export function putTurnMessages(db: Queryable, lane: Lane, rows: readonly OutboundEnvelope[]): Promise<boolean> {
  return findValue(db, false, 'outbox_say')`
    select outbox_say(${lane.userKey}, ${lane.epoch}, ${JSON.stringify(rows.map(redactRow))}::jsonb)`;
}
