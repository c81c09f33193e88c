import type { InboundEnvelope, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Queryable } from '@signalbox/store/pool';
import { findValue, listRows, listValues, readRow } from '@signalbox/store/sql';

/** One update on its way into the inbox, and what to do with it if its sender has a role. */
export interface Admission {
  readonly channel: string;
  readonly bot: string;
  readonly updateId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly kind: string;
  readonly name: string;
  readonly traceId: string;
  /** An inbound envelope, or what is left to see of an update that never becomes one. */
  readonly envelope: InboundEnvelope | Readonly<Record<string, unknown>>;
  /** message, press and new wait for a turn; refuse and answer are settled at once; edit changes a message that waits; join is part of something or nothing; merge was made a part already. */
  readonly verdict: 'message' | 'press' | 'new' | 'refuse' | 'answer' | 'edit' | 'join' | 'merge';
  readonly reason: string | null;
  readonly press: { readonly outboxId: string; readonly index: number } | null;
  readonly edit: Edit | null;
  /** Whether it may be the rest of what a client cut. */
  readonly rest: boolean;
  /** How long a message waits for the other parts of its album, or for its rest, before a turn may take it, in milliseconds. */
  readonly holdMs: number;
  /** Said when the verdict is refuse; for an edit that came too late, with the line of its state. */
  readonly reply: OutboundEnvelope | null;
  /** Said instead of everything else to a person without a role, at most once per `strangerEveryMs`. Its key begins with `stranger:`. */
  readonly stranger: OutboundEnvelope | null;
  readonly strangerEveryMs: number;
}

/** What had become of a message when its edit came. */
export type EditedState = 'working' | 'waiting' | 'answered' | 'stopped' | 'refused' | 'failed';

/** A change of an earlier message. */
export interface Edit {
  readonly messageId: string;
  /** The album that it is a part of. */
  readonly album: string | null;
  /** Null when a message that waits cannot take it: a command, too long a text. */
  readonly text: string | null;
  /** How a row that is settled at once would have kept it: words that are the same are no edit. */
  readonly kept: string;
  /** It is a message of its own where the other was never seen. */
  readonly mayBeNew: boolean;
  /** What to say when it changes nothing any more. */
  readonly lines: Readonly<Record<EditedState, string>>;
}

/** What became of one update. */
export interface AdmissionResult {
  /**
   * `duplicate`: it was admitted before. `ignored`: nobody is answered. `accepted`: it waits for a turn. `merged`: it belongs to a message
   * that waits. `refused`: who wrote it may not. `answered`: the gateway itself has answered. Not admitted yet: `unseen`, an edit that has to
   * come in as a message; `rest`, the rest of the message `id`.
   */
  readonly verdict: 'duplicate' | 'ignored' | 'accepted' | 'merged' | 'refused' | 'answered' | 'unseen' | 'rest';
  /** The inbox id; null for duplicates and what is ignored. */
  readonly id: number | null;
  readonly reason: string | null;
  readonly role: Role | null;
  /** What the pressed button said. */
  readonly label: string | null;
  /** Whether a line for the person was put into the outbox. */
  readonly said: boolean;
}

/**
 * Admits updates in their order, in one round trip: one answer per item. An update that was admitted before is a
 * duplicate and changes nothing, so a call is idempotent; one under the number of another person's is admitted under a number of its
 * own, because channels draw numbers as they like. Answers to commands are the caller's, in the same transaction.
 */
export async function admitInbox(db: Queryable, items: readonly Admission[]): Promise<readonly AdmissionResult[]> {
  const admitted = await admitAll(db, items);
  const repeated = items.filter((_, place) => admitted[place]?.verdict === 'duplicate');
  const others = repeated.length === 0 ? new Set<Admission>() : await findNumbersOfOthers(db, repeated);
  if (others.size === 0) return admitted;
  const again = items.filter((item) => others.has(item));
  const renamed = await admitAll(db, again.map(withOwnNumber));
  return admitted.map((one, place) => {
    const item = items[place];
    return (item && others.has(item) && renamed[again.indexOf(item)]) || one;
  });
}

function admitAll(db: Queryable, items: readonly Admission[]): Promise<readonly AdmissionResult[]> {
  return listRows<AdmissionResult>(db, 'inbox_admit')`
    select id::float8, verdict, reason, role, label, said from inbox_admit(${JSON.stringify(items)}::jsonb) order by place`;
}

/** Updates whose number belongs to an update of another person. */
async function findNumbersOfOthers(db: Queryable, items: readonly Admission[]): Promise<ReadonlySet<Admission>> {
  const keys = items.map(({ channel, bot, updateId, userKey }) => ({ channel, bot, updateId, userKey }));
  const places = await listValues<number>(db)`
    select g.place::int - 1 from jsonb_array_elements(${JSON.stringify(keys)}::jsonb) with ordinality as g (key, place)
      join inbox i on i.channel = key ->> 'channel' and i.bot = key ->> 'bot' and i.update_id = key ->> 'updateId'
     where i.user_key <> key ->> 'userKey'`;
  return new Set(places.flatMap((place) => items[place] ?? []));
}

/** The same update under a number that is its person's: the same when it comes again. */
function withOwnNumber(item: Admission): Admission {
  const updateId = `${item.updateId}~${item.userKey}`;
  const id = `${item.channel}:${item.bot}:${updateId}`;
  return { ...item, updateId, envelope: 'id' in item.envelope ? { ...item.envelope, id, updateId } : item.envelope };
}

/** Asks the holder of this person's lane to stop and voids what waits before this inbox row. False when there was nothing. */
export function stopLane(db: Queryable, userKey: string, beforeId: number): Promise<boolean> {
  return findValue<boolean>(db, false)`select lane_stop(${userKey}, ${beforeId})`;
}

/** What a person may ask about their own lane. Ages in milliseconds. */
export interface LaneStatus {
  readonly running: boolean;
  /** How long the oldest unanswered message has been here; null when there is none. */
  readonly oldestMs: number | null;
  /** Unanswered messages, the one that is being worked on included. */
  readonly open: number;
  readonly thread: { readonly threadId: string; readonly title: string | null; readonly awaiting: boolean } | null;
  readonly jobs: readonly { readonly job: string; readonly status: 'queued' | 'running'; readonly ageMs: number }[];
}

/** Jobs that a status names; the person wants an overview, not a list. */
const MAX_JOBS = 5;

/** Looks up what is going on for a person, and their current thread in this chat. */
export function readLaneStatus(db: Queryable, userKey: string, chatKey: string): Promise<LaneStatus> {
  return readRow<LaneStatus>(db)`
    select
       exists (select 1 from lanes l where l.user_key = ${userKey} and l.worker is not null and l.lease_until > clock_timestamp()) as running,
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
