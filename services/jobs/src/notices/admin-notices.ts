import { SECOND_MS, waitAtMost } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import { describeFullMemory, type Redis } from '@signalbox/platform/redis';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { endFault, notifyAdmins, reportFault, type FaultKind } from '@signalbox/store/faults';
import type { Pool } from '@signalbox/store/pool';
import { wakeChats } from '../runner/wake-chats.ts';

const EVERY_MS = 10 * SECOND_MS;
const ANSWER_MS = 2 * SECOND_MS;

/** Checks for a fault: returns its description, null without a fault, undefined when only another process knows. */
export type FaultCheck = () => Promise<string | null | undefined>;
type FaultChecks = readonly (readonly [FaultKind, FaultCheck])[];

/** Lists checks for a full or unreachable Redis. One failed ping may be a restart, and is no fault. */
export function listRedisChecks(redis: Redis): FaultChecks {
  const { host, port } = redis.options;
  let missed = 0;
  const away: FaultCheck = async () => {
    const isThere = await waitAtMost(redis.ping(), ANSWER_MS).then(Boolean, () => false);
    missed = isThere ? 0 : missed + 1;
    if (isThere) return null;
    return missed > 1 ? `${host}:${port}` : undefined;
  };
  return [
    ['redis-full', () => describeFullMemory(redis)],
    ['redis-away', away],
  ];
}

/** Checks for faults and notifies the admins. A loop, not a scheduled job, because it must work while Redis is down. */
export function startAdminNotices({
  pool,
  publisher,
  log,
  looks = [],
  everyMs = EVERY_MS,
}: {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly log: Log;
  readonly looks?: FaultChecks;
  readonly everyMs?: number;
}): Closable {
  let isSaid = false;
  const known = new Map<string, boolean>();
  const step = async (): Promise<void> => {
    for (const [kind, look] of looks) {
      const problem = await look().catch(() => undefined);
      if (problem === undefined || (problem === null && known.get(kind) === false)) continue;
      if (problem !== null && known.get(kind) !== true) log.error('something of ours is broken', { kind, problem });
      await (problem === null ? endFault(pool, kind) : reportFault(pool, kind, problem));
      known.set(kind, problem !== null);
    }
    const { chats, waiting } = await notifyAdmins(pool);
    if (waiting > 0 && !isSaid)
      log.error('no admin can be told of a fault of ours: an admin has to write to the bot in private', { waiting });
    isSaid = waiting > 0;
    if (chats.length > 0) await wakeChats({ publisher, log }, chats);
  };
  return startLoop({ name: 'admin notices', everyMs, log, step });
}
