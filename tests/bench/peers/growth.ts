import { median } from './figures.ts';
import { textOf } from './model-script.ts';
import type { Peers } from './stack.ts';

/** A turn that reads adds four messages: the question, the call, its result and the answer. */
const MESSAGES_PER_TURN = 4;
const MEASURED = 15;
/** Turns of others that a new process sees before it is measured. */
const WARM_UP = 48;

export interface Growth {
  readonly warm: number;
  readonly cold: number;
  /** Bytes that a turn stores in the tables of checkpoints, without the texts of its messages. */
  readonly bytes: number;
}

/** What a turn of a conversation of so many messages takes, in milliseconds: in a worker that knows it, and in a new one. */
export async function measureGrowth(peers: Peers, messages: number): Promise<Growth> {
  const [person = 0] = peers.nextPeople(1);
  const { load } = peers.product;
  await load.addPeople([person]);
  const turn = (n: number): Promise<number> => load.turn(person, textOf('read', n));
  for (let n = 0; n * MESSAGES_PER_TURN < messages; n++) await turn(n);
  const before = await bytesOf(peers, person);
  const times: number[] = [];
  for (let n = 0; n < MEASURED; n++) times.push(await turn(n));
  const bytes = ((await bytesOf(peers, person)) - before) / MEASURED;
  await peers.replaceWorker();
  const others = peers.nextPeople(8);
  await load.addPeople(others);
  await load.run(others, { turnsEach: WARM_UP / others.length, text: (n) => textOf('read', n) }, () => 0);
  return { warm: median(times), cold: await turn(0), bytes };
}

/** As the rows lie in the tables, compressed by Postgres where it does; the rows of messages are their text. */
async function bytesOf({ db }: Peers, person: number): Promise<number> {
  const { rows } = await db.query<{ bytes: string }>(
    `select (select coalesce(sum(pg_column_size(c.*)), 0) from langgraph.checkpoints c where thread_id = $1)
          + (select coalesce(sum(pg_column_size(b.*)), 0) from langgraph.checkpoint_blobs b where thread_id = $1 and version not like 'message-%')
          + (select coalesce(sum(pg_column_size(w.*)), 0) from langgraph.checkpoint_writes w where thread_id = $1) as bytes`,
    [`user_${person}_1`],
  );
  return Number(rows[0]?.bytes ?? 0);
}
