import { median } from './figures.ts';
import { textOf } from './model-script.ts';
import type { Peers } from './stack.ts';

/** A turn that reads adds four messages: the question, the call, its result and the answer. */
const MESSAGES_PER_TURN = 4;
/** Turns of others that a new process sees before it is measured. */
const WARM_UP = 48;

export interface Growth {
  /** Milliseconds of a turn in a worker that knows the conversation, and of the first one in a new worker. */
  readonly warm: number;
  readonly cold: number;
  /** Bytes that a turn stores in the tables of checkpoints, without the texts of its messages. */
  readonly bytes: number;
}

/** Turns of conversations of so many messages: `people` have one each, and take `turns` once theirs is that long. */
export async function measureGrowth(
  peers: Peers,
  messages: number,
  { people, turns }: { readonly people: number; readonly turns: number },
): Promise<Growth> {
  const ids = peers.nextPeople(people);
  const { load } = peers.product;
  await load.addPeople(ids);
  const turn = (person: number, n: number): Promise<number> => load.turn(person, textOf('read', n));
  for (const id of ids) for (let n = 0; n * MESSAGES_PER_TURN < messages; n++) await turn(id, n);
  const before = await bytesOf(peers, ids);
  const warm: number[] = [];
  for (let n = 0; n < turns; n++) for (const id of ids) warm.push(await turn(id, n));
  const bytes = ((await bytesOf(peers, ids)) - before) / warm.length;
  await peers.replaceWorker();
  const others = peers.nextPeople(8);
  await load.addPeople(others);
  await load.run(others, { turnsEach: WARM_UP / others.length, text: (n) => textOf('read', n) }, () => 0);
  const cold: number[] = [];
  for (const id of ids) cold.push(await turn(id, 0));
  return { warm: median(warm), cold: median(cold), bytes };
}

/** As the rows lie in the tables, compressed by Postgres where it does, less the texts of the messages in them. */
async function bytesOf({ db }: Peers, people: readonly number[]): Promise<number> {
  const { rows } = await db.query<{ bytes: string }>(
    `with threads as (select thread_id from public.threads where user_key = any ($1)),
          blobs as (select b.*, convert_from(blob, 'UTF8')::json as json from langgraph.checkpoint_blobs b
                     where thread_id in (select * from threads) and channel = 'messages' and blob is not null),
          texts as (select octet_length(m -> 'kwargs' ->> 'content') as bytes
                      from blobs, json_array_elements(case json_typeof(json) when 'array' then json else json_build_array(json) end) m)
     select (select coalesce(sum(pg_column_size(c.*)), 0) from langgraph.checkpoints c where thread_id in (select * from threads))
          + (select coalesce(sum(pg_column_size(b.*)), 0) from langgraph.checkpoint_blobs b where thread_id in (select * from threads))
          + (select coalesce(sum(pg_column_size(w.*)), 0) from langgraph.checkpoint_writes w where thread_id in (select * from threads))
          - (select coalesce(sum(bytes), 0) from texts) as bytes`,
    [people.map(String)],
  );
  return Number(rows[0]?.bytes ?? 0);
}
