import { IS_LANE_FREE } from '@signalbox/store/conversation/lane';
import type { InboundEnvelope, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Queryable } from '@signalbox/store/pool';
import { findValue, listRows, listValues, readRow } from '@signalbox/store/sql';

/** An update to put into the inbox, and how to treat it if its sender has a role. */
export interface InboxUpdate {
  readonly channel: string;
  readonly bot: string;
  readonly updateId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly kind: string;
  readonly name: string;
  readonly traceId: string;
  /** An inbound envelope; otherwise the record of an update that is settled at once. */
  readonly envelope: InboundEnvelope | Readonly<Record<string, unknown>>;
  /**
   * Wait for a turn: message, press, new. Settled at once: refuse, answer. edit changes a waiting message. join belongs to another
   * message, else is ignored. merge is already part of one.
   */
  readonly verdict: 'message' | 'press' | 'new' | 'refuse' | 'answer' | 'edit' | 'join' | 'merge';
  readonly reason: string | null;
  readonly press: { readonly outboxId: string; readonly index: number } | null;
  readonly edit: MessageEdit | null;
  /** True when the update may be the rest of a split text. */
  readonly rest: boolean;
  /** How long the message waits for the rest of its album or text before a turn may take it. */
  readonly holdMs: number;
  /** The reply for a refused update or a late edit; the line of the edit's state is added. */
  readonly reply: OutboundEnvelope | null;
  /** The only reply to a person without a role, at most once per `strangerEveryMs`. Its key begins with `stranger:`. */
  readonly stranger: OutboundEnvelope | null;
  readonly strangerEveryMs: number;
}

/** The state of a message when its edit arrived. */
export type EditedState = 'working' | 'waiting' | 'answered' | 'stopped' | 'refused' | 'failed';

export interface MessageEdit {
  readonly messageId: string;
  readonly album: string | null;
  /** The new text; null for a command or a text that is too long, which a waiting message cannot take. */
  readonly text: string | null;
  /** The new text as a settled row stores it; when both are equal nothing was edited. */
  readonly kept: string;
  /** True when an edit of a never seen message counts as a new message. */
  readonly mayBeNew: boolean;
  /** Who wrote the new text, when the sender did not. */
  readonly borrowed?: 'forward' | 'bot' | 'quote';
  /** Replies for an edit that came too late to change anything. */
  readonly lines: Readonly<Record<EditedState, string>>;
}

export interface AdmissionResult {
  /**
   * `duplicate`: admitted before. `ignored`: no answer. `accepted`: waits for a turn. `merged`: part of a waiting
   * message. `refused`: not permitted. `answered`: the gateway answered. Not admitted yet: `unseen`, an edit to admit
   * as a message; `rest`, the rest of message `id`.
   */
  readonly verdict: 'duplicate' | 'ignored' | 'accepted' | 'merged' | 'refused' | 'answered' | 'unseen' | 'rest';
  /** The inbox id; null for `duplicate` and `ignored`. */
  readonly id: number | null;
  readonly reason: string | null;
  readonly role: Role | null;
  readonly label: string | null;
  /** True when a reply for the person was put into the outbox. */
  readonly said: boolean;
}

/**
 * Admits updates in order, in one round trip, with one result each. Idempotent. Channels reuse numbers: an update whose number another
 * person's update has gets a number of its own. Commands are answered by the caller, in the same transaction.
 */
export async function admitUpdates(db: Queryable, items: readonly InboxUpdate[]): Promise<readonly AdmissionResult[]> {
  const admitted = await admitAll(db, items);
  const repeated = items.filter((_, place) => admitted[place]?.verdict === 'duplicate');
  const others = repeated.length === 0 ? new Set<InboxUpdate>() : await findNumbersOfOthers(db, repeated);
  if (others.size === 0) return admitted;
  const again = items.filter((item) => others.has(item));
  const renamed = await admitAll(db, again.map(withOwnNumber));
  return admitted.map((one, place) => {
    const item = items[place];
    return (item && others.has(item) && renamed[again.indexOf(item)]) || one;
  });
}

function admitAll(db: Queryable, items: readonly InboxUpdate[]): Promise<readonly AdmissionResult[]> {
  return listRows<AdmissionResult>(db, 'inbox_admit')`
    select id::float8, verdict, reason, role, label, said from inbox_admit(${JSON.stringify(items)}::jsonb) order by place`;
}

async function findNumbersOfOthers(db: Queryable, items: readonly InboxUpdate[]): Promise<ReadonlySet<InboxUpdate>> {
  const keys = items.map(({ channel, bot, updateId, userKey }) => ({ channel, bot, updateId, userKey }));
  const places = await listValues<number>(db)`
    select g.place::int - 1 from jsonb_array_elements(${JSON.stringify(keys)}::jsonb) with ordinality as g (key, place)
      join inbox i on i.channel = key ->> 'channel' and i.bot = key ->> 'bot' and i.update_id = key ->> 'updateId'
     where i.user_key <> key ->> 'userKey'`;
  return new Set(places.flatMap((place) => items[place] ?? []));
}

/** Adds the sender to the update's number, which stays the same on redelivery. */
function withOwnNumber(item: InboxUpdate): InboxUpdate {
  const updateId = `${item.updateId}~${item.userKey}`;
  const id = `${item.channel}:${item.bot}:${updateId}`;
  return { ...item, updateId, envelope: 'id' in item.envelope ? { ...item.envelope, id, updateId } : item.envelope };
}

/** Asks the worker of this person's lane to stop, and voids messages waiting before this row. False when nothing was stopped. */
export function stopLane(db: Queryable, userKey: string, beforeId: number): Promise<boolean> {
  return findValue<boolean>(db, false)`select lane_stop(${userKey}, ${beforeId})`;
}

/** What a person sees of their own lane. Ages in milliseconds. */
export interface LaneStatus {
  readonly running: boolean;
  /** Null when every message is answered. */
  readonly oldestMs: number | null;
  readonly open: number;
  readonly thread: { readonly threadId: string; readonly title: string | null; readonly awaiting: boolean } | null;
  readonly jobs: readonly { readonly job: string; readonly status: 'queued' | 'running'; readonly ageMs: number }[];
}

const MAX_JOBS = 5;

export function readLaneStatus(db: Queryable, userKey: string, chatKey: string): Promise<LaneStatus> {
  return readRow<LaneStatus>(db)`
    select
       exists (select 1 from lanes l where l.user_key = ${userKey} and not ${IS_LANE_FREE}) as running,
       (select extract(epoch from clock_timestamp() - min(i.received_at)) * 1000 from inbox i
         where i.user_key = ${userKey} and i.outcome is null)::float8 as "oldestMs",
       (select count(*) from inbox i where i.user_key = ${userKey} and i.outcome is null)::int as open,
       (select json_build_object('threadId', t.thread_id, 'title', t.title, 'awaiting', t.awaiting) from threads t
         where t.user_key = ${userKey} and t.chat_key = ${chatKey} and t.status = 'open' order by t.last_active_at desc limit 1) as thread,
       coalesce((select json_agg(j) from (
         select r.job, r.status, (extract(epoch from clock_timestamp() - r.created_at) * 1000)::float8 as "ageMs" from runs r
          where r.user_key = ${userKey} and r.status in ('queued', 'running')
          order by r.created_at limit ${MAX_JOBS}) j), '[]'::json) as jobs`;
}
