import { Approvals } from '@signalbox/governance/approvals';
import { withTransaction } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { deployGroup, openDeployTarget, type DeployTarget, type DeployWay } from './deploy-target.ts';
import { shippedPolicy } from './governance.ts';
import { spawnWorker, type KillableWorker } from './kill-worker.ts';
import type { Person } from './person.ts';
import { openStack, type Stack } from './stack.ts';
import { openStatementRelay, type WireStatement } from './statement-relay.ts';
import { eventually } from './until.ts';

/** A place in the way of an action: on one side of a statement, or of the change that the target makes. */
export type Boundary =
  | { readonly at: 'statement'; readonly text: string; readonly nth: number; readonly side: 'before' | 'after' }
  | { readonly at: 'effect'; readonly side: 'before' | 'after' };

/** A statement that a turn has sent. */
export interface SentStatement {
  readonly text: string;
  /** Which time in this turn. */
  readonly nth: number;
  /** Its answer left the connection inside of a transaction: nothing of it is durable yet. */
  inTransaction: boolean;
}

/** Somebody who deploys a project of their own. */
export interface Deployer {
  readonly person: Person;
  readonly userKey: string;
  readonly project: string;
  /** What their turn has sent since it was looked at. */
  readonly sent: SentStatement[];
  /** Where everything of theirs stops; null: nowhere. */
  boundary: Boundary | null;
  /** Nothing of theirs goes on: to the worker's death they are as dead. */
  isHeld: boolean;
  /** How their statements are told from others': ids that only they have. */
  readonly marks: string[];
}

/**
 * A field in which workers are killed at exact places of actions: Telegram, gateway, jobs and Postgres live, workers are processes that
 * reach Postgres through a wire, and the target of the deploys is a program outside. Where somebody's turn comes to their boundary,
 * nothing of theirs is passed on, in either direction; when all who are looked at stand still, the worker is killed.
 */
export interface KillField {
  readonly stack: Stack;
  readonly target: DeployTarget;
  /** Keys of changes that reached the target before their intent was committed. */
  readonly early: readonly string[];
  deployers(count: number): Promise<Deployer[]>;
  /** Has their deploys, which wait, approved by somebody who may. */
  approve(going: readonly Deployer[]): Promise<void>;
  /** They ask for their deploys. */
  ask(deployers: readonly Deployer[]): Promise<void>;
  /** Lets a fresh worker serve; unless it is the last one, the next one is loaded meanwhile. */
  startWorker(which?: 'next' | 'last'): Promise<void>;
  killWorker(): Promise<void>;
  /** Looks at the statements of these people, and stops them where they have a boundary. */
  look(at: readonly Deployer[]): void;
  /** Waits until everything that these people wait for is settled; wakes their lanes as other messages would. */
  settle(deployers: readonly Deployer[]): Promise<void>;
  close(): Promise<void>;
}

/** Sent by timers, for whoever is served just then. */
const TIMED = /lane_beat|lane_sweep/;
const OPERATOR = { userKey: '60002', name: 'P60002', role: 'operator' } as const;

export async function openKillField(way: DeployWay): Promise<KillField> {
  const log = createLog('test', 'silent');
  const early: string[] = [];
  let looked: readonly Deployer[] = [];
  let spare: KillableWorker | null = null;
  let worker: KillableWorker | null = null;
  let workers = 0;
  let people = 70_000;

  const target = await openDeployTarget(async ({ key, what }, side) => {
    const { rows } = await stack.pool.query<{ status: string }>('select status from actions where action_id = $1', [
      key,
    ]);
    if (rows[0]?.status !== 'started') early.push(key);
    const who = looked.find(({ project }) => what.startsWith(`${project} `));
    return who && stops(who, who.boundary?.at === 'effect' && who.boundary.side === side) ? 'hold' : 'pass';
  });
  const stack = await openStack({
    workers: 0,
    jobs: true,
    wiring: { groups: [deployGroup(target, way)] },
  });
  const redis = openRedis(stack.redisUrl, log);
  const publisher = createPublisher({ redis, prefix: stack.prefix, partitions: 1 });
  const database = new URL(stack.wiring.databaseUrl('worker'));
  const owners = new Map<number, Deployer>();
  const relay = await openStatementRelay(Number(database.port), (statement, side, inTransaction) => {
    const who = TIMED.test(statement.text) ? null : ownerOf(statement, owners, looked);
    if (!who) return 'pass';
    if (side === 'before')
      who.sent.push({ text: statement.text, nth: 1 + timesOf(who, statement.text), inTransaction: false });
    const newest = who.sent.findLast(({ text }) => text === statement.text);
    if (newest && side === 'after') newest.inTransaction = inTransaction;
    const { boundary } = who;
    const isThere =
      boundary?.at === 'statement' &&
      boundary.side === side &&
      boundary.text === statement.text &&
      boundary.nth === newest?.nth;
    return stops(who, isThere) ? 'hold' : 'pass';
  });
  database.port = String(relay.port);
  const spawnNext = (): KillableWorker =>
    spawnWorker({
      env: stack.wiring.env('worker', {
        DATABASE_URL: database.href,
        WORKER_NAME: `killed-${(workers += 1)}`,
        // Long, so that a busy machine takes no lane from a worker that lives; the dead one's are ended by killWorker.
        LANE_LEASE_MS: '30000',
        // Everybody who stands still keeps a connection, and two where their turn reads two things at once.
        DATABASE_CONNECTIONS: '40',
      }),
      target: target.url,
      way,
    });
  const wake = (userKeys: readonly string[]): Promise<void> =>
    publisher.publish(
      INBOUND_TOPIC,
      userKeys.map((userKey) => ({ userKey, traceId: 'wake' })),
    );

  await stack.person(60_001, 'admin');
  const operator = await stack.person(60_002, 'operator');
  await operator.ask('/whoami');

  return {
    stack,
    target,
    early,
    deployers: async (count) => {
      const made: Deployer[] = [];
      for (let n = 0; n < count; n++) {
        const id = (people += 1);
        const project = `shop${id}`;
        await stack.pool.query(
          `insert into projects (name, description, owner, status, action_id) values ($1, 'tea', $2, 'active', $1)`,
          [project, String(id)],
        );
        const person = await stack.person(id, 'developer');
        made.push({
          person,
          userKey: String(id),
          project,
          sent: [],
          boundary: null,
          isHeld: false,
          marks: [String(id)],
        });
      }
      return made;
    },
    ask: (deployers) =>
      Promise.all(deployers.map(({ person, project }) => person.send(`deploy ${project} 1.4.2 to staging`))).then(
        () => undefined,
      ),
    approve: async (going) => {
      const policy = await shippedPolicy();
      for (const who of going) {
        const { rows } = await stack.pool.query<{ approval_id: string; action_id: string }>(
          `select approval_id, action_id from approvals where user_key = $1 and status = 'pending'`,
          [who.userKey],
        );
        const [waiting] = rows;
        if (!waiting) throw new Error(`${who.userKey} waits for nothing`);
        who.marks.push(waiting.approval_id, waiting.action_id);
        const press = { approvalId: waiting.approval_id, verb: 'approve', by: OPERATOR } as const;
        await withTransaction(stack.pool, (db) => new Approvals(db).decide(policy, press));
      }
      await wake(going.map(({ userKey }) => userKey));
    },
    startWorker: async (which = 'next') => {
      worker = spare ?? spawnNext();
      spare = null;
      await worker.start();
      if (which === 'next') spare = spawnNext();
    },
    killWorker: async () => {
      await worker?.kill();
      relay.cut();
      owners.clear();
      // This ends the leases of the killed worker at once, so that the test does not wait for them. It updates one lane per statement:
      // the worker's last statement may still lock some lanes and wait for others, and an update of all would deadlock with it.
      const { rows } = await stack.pool.query<{ user_key: string }>(
        'select user_key from lanes where worker is not null',
      );
      for (const { user_key: userKey } of rows)
        await stack.pool.query(
          `update lanes set lease_until = clock_timestamp() - interval '1 ms' where user_key = $1 and worker is not null`,
          [userKey],
        );
    },
    look: (at) => (looked = at),
    settle: async (deployers) => {
      const keys = deployers.map(({ userKey }) => userKey);
      const woken = new Set<string>();
      const open = async (): Promise<readonly string[]> => {
        const { rows } = await stack.pool.query<{ user_key: string; is_free: boolean }>(
          `select i.user_key, coalesce(l.worker is null or l.lease_until < clock_timestamp(), true) as is_free
             from inbox i join lanes l on l.user_key = i.user_key where i.user_key = any ($1) and i.outcome is null`,
          [keys],
        );
        // Once each: a lane that is woken while it is being begun gains nothing from it.
        const free = rows.flatMap((row) => (row.is_free && !woken.has(row.user_key) ? [row.user_key] : []));
        free.forEach((userKey) => woken.add(userKey));
        await wake(free);
        return rows.map((row) => row.user_key);
      };
      await eventually(open, (left) => left.length === 0, 180_000);
    },
    close: async () => {
      await worker?.kill();
      await spare?.kill();
      await closeRedis(redis);
      await relay.close();
      try {
        await stack.close();
      } finally {
        await target.close();
      }
    },
  };
}

/** Whether this person stands still from now on. */
function stops(who: Deployer, isThere: boolean): boolean {
  who.isHeld ||= isThere;
  return who.isHeld;
}

function timesOf(who: Deployer, text: string): number {
  return who.sent.filter((one) => one.text === text).length;
}

/** Whose statement it is. Inside of a transaction, that of whoever the statements before were for; `begin` is nobody's. */
function ownerOf(
  { text, values, connection }: WireStatement,
  owners: Map<number, Deployer>,
  looked: readonly Deployer[],
): Deployer | null {
  // The first value that names one of them: later ones, such as a record with all known names, may name others too.
  const named = values.map((value) => looked.filter(({ marks }) => marks.some((mark) => value.includes(mark))));
  const found = named.find(({ length }) => length === 1)?.[0];
  const word = text.trim().toLowerCase();
  if (word === 'begin') owners.delete(connection);
  if (found) owners.set(connection, found);
  if (word !== 'commit' && word !== 'rollback') return found ?? null;
  return owners.get(connection) ?? null;
}
