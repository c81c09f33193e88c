import { setTimeout as delay } from 'node:timers/promises';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import type { Pool } from '@signalbox/store/pool';
import { createRandom } from './random.ts';
import { deploymentsOf, TEXTS, type Kind } from './requests.ts';
import type { Voice } from './voices/voice.ts';

/** What somebody wrote, whose right answer is known. */
export interface Asked {
  readonly channel: Voice['channel'];
  readonly userKey: string;
  readonly kind: Kind;
  /** The project or file that it is about: no two messages of one kind are about the same. */
  readonly name: string;
  readonly text: string;
  readonly at: number;
  readonly updateId: string;
}

/** The demo server has so many ports to give away, and some to spare. */
const MAX_PORTS = 60;
/** So many people deploy first, each these many projects of their own: a deployment keeps a processor busy for seconds. */
const DEPLOYERS = 4;
const DEPLOYED_EACH = 2;
const LOOK_MS = 500;

/** People who write bursts of requests, and wait until those are settled and delivered before they write the next. */
export interface Crowd {
  readonly asked: readonly Asked[];
  /** Whether anything of anybody is under way; null while the database does not answer. */
  isQuiet(): Promise<boolean | null>;
  /** Ends the writing; what was written goes on, and who is asked to confirm does. */
  stop(): Promise<void>;
  /** Ends all of it. */
  close(): Promise<void>;
}

/** Lets people write until they are stopped. Those who deploy are the first. */
export async function startCrowd(options: {
  readonly pool: Pool;
  readonly voices: readonly Voice[];
  readonly seed: number;
  /** Address of the demo's repository. */
  readonly repository: string;
}): Promise<Crowd> {
  const { pool, voices, seed, repository } = options;
  const deployed = new Map(
    voices
      .slice(0, DEPLOYERS)
      .map(({ id, userKey }) => [userKey, Array.from({ length: DEPLOYED_EACH }, (_, n) => `t${id}x${n}`)]),
  );
  for (const [owner, names] of deployed)
    for (const name of names)
      await createProjectStore(pool).create({ name, description: 'The shop', repository, owner }, `act_soak_${name}`);
  /** What programs ask about: they may only read. */
  const known = [...deployed.values()].flat();
  const asked: Asked[] = [];
  const stopping = new AbortController();
  const closing = new AbortController();
  let ports = 0;
  let busy: ReadonlySet<string> | null = null;
  let admitted: ReadonlySet<string> = new Set();
  let projects: ReadonlySet<string> = new Set();
  const look = async (): Promise<ReadonlySet<string> | null> => {
    // AdmissionResult messages are read first: one that comes between the queries would seem to be admitted and answered.
    const { rows: updates } = await pool.query<{ update_id: string }>(
      `select update_id from inbox where channel not in ('system', 'jobs')`,
    );
    const { rows } = await pool.query<{ user_key: string }>(
      `select user_key from inbox where outcome is null
       union select user_key from outbox where status in ('pending', 'sending') and user_key is not null
       union select user_key from approvals where status in ('pending', 'approved')
       union select user_key from runs where status in ('queued', 'running') and user_key is not null`,
    );
    const { rows: made } = await pool.query<{ name: string }>(`select name from projects where name like 'q%x%'`);
    projects = new Set(made.map(({ name }) => name));
    admitted = new Set(updates.map((row) => row.update_id));
    return new Set(rows.map((row) => row.user_key));
  };
  const watch = (async () => {
    while (!closing.signal.aborted) {
      busy = await look().catch(() => null);
      await delay(LOOK_MS);
    }
  })();
  /** People who were shown a card of their own request press its button. */
  const confirm = (async () => {
    while (!closing.signal.aborted) {
      const { rows } = await pool
        .query<{ user_key: string }>(`select distinct user_key from approvals where status = 'pending'`)
        .catch(() => ({ rows: [] })); // the database is away
      for (const { user_key: userKey } of rows)
        // The button is gone: the card was changed meanwhile.
        await voices
          .find((one) => one.userKey === userKey)
          ?.confirm()
          .catch(() => undefined);
      await delay(2 * LOOK_MS);
    }
  })();
  const waits = (userKey: string): boolean =>
    busy === null || busy.has(userKey) || asked.some((one) => one.userKey === userKey && !admitted.has(one.updateId));

  const live = async ({ id, userKey, channel, say }: Voice): Promise<void> => {
    const random = createRandom(seed * 7_919 + id);
    const mine: { readonly name: string; port: boolean; shown: boolean }[] = [];
    let count = 0;
    const next = (): { kind: Kind; name: string } => {
      count += 1;
      if (channel === 'ingress') return { kind: 'show', name: known[count % known.length] ?? '' };
      const x = random.next();
      const forPort = mine.find(({ name, port }) => !port && projects.has(name));
      if (x < 0.12 && forPort && ports < MAX_PORTS) {
        ports += 1;
        forPort.port = true;
        return { kind: 'port', name: forPort.name };
      }
      const toShow = mine.find(({ name, shown }) => !shown && projects.has(name));
      if (x < 0.4 && toShow) {
        toShow.shown = true;
        return { kind: 'show', name: toShow.name };
      }
      return { kind: x > 0.88 ? 'file' : 'create', name: `q${id}x${count}` };
    };
    const toDeploy = deployed.get(userKey)?.flatMap(deploymentsOf) ?? [];
    // Release 1.1 of the demo is slow, so an incident of it ends only with its rollback.
    const goesOn = (): boolean => !stopping.signal.aborted || toDeploy[0]?.kind === 'rollback';
    await delay(random.between(0, 8_000));
    while (goesOn()) {
      const deployment = toDeploy.shift();
      const burst = deployment ? [deployment] : Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, next);
      for (const { kind, name } of burst) {
        const text = TEXTS[kind](name);
        const at = Date.now();
        asked.push({ channel, userKey, kind, name, text, at, updateId: await say(text) });
        await delay(random.between(0, 60));
      }
      while (waits(userKey) && goesOn()) await delay(250);
      for (const { kind, name } of burst) if (kind === 'create') mine.push({ name, port: false, shown: false });
      await delay(random.between(500, 6_500));
    }
  };
  const lives = voices.map(live);
  return {
    asked,
    isQuiet: async () => {
      const open = await look().catch(() => null);
      // What became of an action is looked up a while after it got lost. So is whether what was slow under the faults is well again.
      const unsettled = await pool
        .query(
          `select 1 from actions where status in ('started', 'unknown')
           union all select 1 from incidents where closed_at is null or news is not null
           union all select 1 from runs where status in ('queued', 'running') limit 1`,
        )
        .catch(() => null);
      return (
        open && unsettled?.rowCount === 0 && open.size === 0 && asked.every(({ updateId }) => admitted.has(updateId))
      );
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(lives);
    },
    close: async () => {
      closing.abort();
      await Promise.all([watch, confirm]);
    },
  };
}
