import type { InboundEnvelope, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Queryable } from '@signalbox/store/pool';

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
  /** message, press and new wait for a turn; refuse and answer are settled at once; edit changes a message that waits; join is part of an album or nothing. */
  readonly verdict: 'message' | 'press' | 'new' | 'refuse' | 'answer' | 'edit' | 'join';
  readonly reason: string | null;
  readonly press: { readonly outboxId: string; readonly index: number } | null;
  readonly edit: Edit | null;
  /** How long a message waits for the other parts of its album before a turn may take it, in milliseconds. */
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
  /** What to say when it changes nothing any more. */
  readonly lines: Readonly<Record<EditedState, string>>;
}

export interface Admitted {
  readonly verdict: 'duplicate' | 'ignored' | 'accepted' | 'merged' | 'refused' | 'answered';
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
 * duplicate and changes nothing, so calling twice is safe; one under the number of another person's is admitted under a number of its
 * own, because channels draw numbers as they like. Answers to commands are the caller's, in the same transaction.
 */
export async function admitInbox(db: Queryable, items: readonly Admission[]): Promise<readonly Admitted[]> {
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

async function admitAll(db: Queryable, items: readonly Admission[]): Promise<readonly Admitted[]> {
  const { rows } = await db.query<Admitted & { id: string | null }>({
    name: 'inbox_admit',
    text: 'select id, verdict, reason, role, label, said from inbox_admit($1::jsonb) order by place',
    values: [JSON.stringify(items)],
  });
  return rows.map((row) => ({ ...row, id: row.id === null ? null : Number(row.id) }));
}

/** Updates whose number belongs to an update of another person. */
async function findNumbersOfOthers(db: Queryable, items: readonly Admission[]): Promise<ReadonlySet<Admission>> {
  const { rows } = await db.query<{ place: number }>(
    `select g.place::int - 1 as place
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as g (channel, bot, update_id, user_key, place)
       join inbox i using (channel, bot, update_id) where i.user_key <> g.user_key`,
    [
      items.map(({ channel }) => channel),
      items.map(({ bot }) => bot),
      items.map(({ updateId }) => updateId),
      items.map(({ userKey }) => userKey),
    ],
  );
  return new Set(rows.flatMap(({ place }) => items[place] ?? []));
}

/** The same update under a number that is its person's: the same when it comes again. */
function withOwnNumber(item: Admission): Admission {
  const updateId = `${item.updateId}~${item.userKey}`;
  const id = `${item.channel}:${item.bot}:${updateId}`;
  return { ...item, updateId, envelope: 'id' in item.envelope ? { ...item.envelope, id, updateId } : item.envelope };
}

/** Asks the holder of this person's lane to stop and voids what waits before this inbox row. False when there was nothing. */
export async function stopLane(db: Queryable, userKey: string, beforeId: number): Promise<boolean> {
  const { rows } = await db.query<{ busy: boolean }>('select lane_stop($1, $2) as busy', [userKey, beforeId]);
  return rows[0]?.busy ?? false;
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
export async function readLaneStatus(db: Queryable, userKey: string, chatKey: string): Promise<LaneStatus> {
  const { rows } = await db.query<LaneStatus>(
    `select
       exists (select 1 from lanes l where l.user_key = $1 and l.worker is not null and l.lease_until > clock_timestamp()) as running,
       (select extract(epoch from clock_timestamp() - min(i.received_at)) * 1000 from inbox i
         where i.user_key = $1 and i.outcome is null)::float8 as "oldestMs",
       (select count(*) from inbox i where i.user_key = $1 and i.outcome is null)::int as open,
       (select json_build_object('threadId', t.thread_id, 'title', t.title, 'awaiting', t.awaiting) from threads t
         where t.user_key = $1 and t.chat_key = $2 and t.status = 'open' order by t.last_active_at desc limit 1) as thread,
       coalesce((select json_agg(j) from (
         select r.job, r.status, (extract(epoch from clock_timestamp() - r.created_at) * 1000)::float8 as "ageMs" from runs r
          where r.user_key = $1 and r.status in ('queued', 'running') order by r.created_at limit $3) j), '[]'::json) as jobs`,
    [userKey, chatKey, MAX_JOBS],
  );
  const status = rows[0];
  if (!status) throw new Error('a select without from always answers one row');
  return status;
}
