import type { Queryable } from '@signalbox/store/pool';
import { findRow, findValue, listValues, readRow, sql } from '@signalbox/store/sql';
import type { WebPart } from './part.ts';

/*
 * Each chat keeps its newest 400 components, and up to 64 more until the next count. A page that lacks older patches
 * starts over. Admission puts people's own messages among them: see infra/postgres/107_channels.sql.
 */

/** The number of components that a new page shows. */
const MAX_FIRST_PATCHES = 200;
/** The most patches per read. */
export const MAX_READ_PATCHES = 100;

/** A stored component; `patch` is null when the component was removed. */
export interface StoredPatch {
  readonly id: string;
  readonly seq: number;
  readonly place: number;
  readonly version: string | null;
  readonly patch: { readonly type: string; readonly props: Readonly<Record<string, unknown>> } | null;
  /** The ISO time of first display. */
  readonly at: string;
}

export interface MissingPatches {
  /** False when the login has ended: then there are no patches. */
  readonly isSignedIn: boolean;
  /** The number of the chat's newest patch. */
  readonly seq: number;
  /** True when the page must start over: `patches` are then all its components in display order, otherwise new patches by number. */
  readonly isFresh: boolean;
  readonly patches: readonly StoredPatch[];
}

/** Shows a message; always true. Idempotent. */
export async function showPart(db: Queryable, chatKey: string, part: WebPart): Promise<true> {
  const what = await describePart(db, part);
  await db.query(sql`select web_show(${chatKey}, ${part.id}, ${part.outboxId}, ${what}::jsonb, ${part.afterwards})`);
  return true;
}

/** Replaces a message. False when the message no longer exists. */
export async function changePart(db: Queryable, chatKey: string, messageId: string, part: WebPart): Promise<boolean> {
  const what = await describePart(db, part);
  return findValue(db, false)`
    select web_change(${chatKey}, ${messageId}, ${part.outboxId}, ${what}::jsonb, ${part.afterwards})`;
}

export function removePart(db: Queryable, chatKey: string, messageId: string): Promise<boolean> {
  return findValue(db, false)`select web_change(${chatKey}, ${messageId}, null, null, null)`;
}

export function disableButtons(db: Queryable, chatKey: string, messageId: string): Promise<boolean> {
  return findValue(db, false)`select web_press(${chatKey}, ${messageId})`;
}

/** Replaces texts whose secret has expired, and returns the changed chats. */
export function redactExpiredSecrets(db: Queryable): Promise<readonly string[]> {
  return listValues<string>(db)`select distinct c from web_forget() c`;
}

/** The newest patch number of each of these chats, by key; chats without patches are left out. */
export async function readSeqs(db: Queryable, chatKeys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = await readRow<{ seqs: Readonly<Record<string, number>> }>(db, 'web_seqs')`
    select coalesce(jsonb_object_agg(chat_key, seq), '{}') as seqs from web_chats where chat_key = any (${chatKeys})`;
  return new Map(Object.entries(found.seqs));
}

/** Reads the first patches that a page lacks after number `after` (null when it has none), in one consistent round trip. */
export async function readMissingPatches(
  db: Queryable,
  page: { readonly chatKey: string; readonly login: string; readonly after: number | null },
): Promise<MissingPatches> {
  const { chatKey, login, after } = page;
  const row = await readRow<MissingPatches & { patches: readonly StoredPatch[] | null }>(db, 'web_missing')`
    with chat as (
      select coalesce(max(c.seq), 0) as seq, ${after}::bigint is null or ${after} < coalesce(max(c.dropped), 0) or ${after} > coalesce(max(c.seq), 0) as fresh
        from web_chats c where c.chat_key = ${chatKey}),
    login as (select exists (select from web_logins l where l.token_hash = ${login} and l.expires_at > now()) as good)
    select login.good as "isSignedIn", chat.seq::float8 as seq, chat.fresh as "isFresh",
      case when not login.good then null
           when chat.fresh then (select jsonb_agg(p order by p.place) from (
             select ${PATCH} from web_patches x where x.chat_key = ${chatKey} and x.patch is not null
              order by x.place desc limit ${MAX_FIRST_PATCHES}) p)
           else (select jsonb_agg(p order by p.seq) from (
             select ${PATCH} from web_patches x where x.chat_key = ${chatKey} and x.seq > ${after}
              order by x.seq limit ${MAX_READ_PATCHES}) p) end as patches
      from chat, login`;
  return { ...row, patches: row.patches ?? [] };
}

const PATCH = sql`
  x.component_id as id, x.seq, x.place, x.outbox_id::text as version, x.patch,
  to_char(x.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`;

/** True when the person was sent this file in one of their web chats, as far as patches are kept. */
export async function canReadFile(db: Queryable, chatKey: string, artifactId: string): Promise<boolean> {
  const files = JSON.stringify([{ artifactId }]);
  return findValue(db, false)`
    select exists (select from web_chats c join web_patches x on x.chat_key = c.chat_key
      where chat_root(c.chat_key) = ${chatKey} and x.patch -> 'props' -> 'files' @> ${files}::jsonb)`;
}

/** The component as JSON, with the hash and expiry of its approval. */
async function describePart(db: Queryable, { shown, approvalId }: WebPart): Promise<string> {
  if (approvalId === null) return JSON.stringify(shown);
  const bound = await findRow<{ hash: string; expiresAt: Date }>(db)`
    select hash, expires_at as "expiresAt" from approvals where approval_id = ${approvalId}`;
  if (!bound) return JSON.stringify(shown);
  return JSON.stringify({ ...shown, props: { ...shown.props, hash: bound.hash, expiresAt: bound.expiresAt } });
}
