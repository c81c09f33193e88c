import { listOldestLanes, type OldestLane } from '@signalbox/store/turns/lanes';
import type { Queryable } from '@signalbox/store/pool';

/*
 * Who is served next while a backlog waits. Wake-ups stand in the order in which they were published: one that is repeated comes last, and
 * a sweeper publishes what was lost much later. So each wake-up of a backlog only says that there is work, and the lane whose oldest message
 * has waited longest is claimed for it.
 */

/** With this many unread wake-ups, people have to wait for each other, and their order matters. */
const MIN_UNREAD = 32;
/** Lanes per query. It reads the whole backlog, so one query serves several claims. Who of them waits with a second message is passed over. */
const MAX_LANES = 8;
/** A query that was under way when a wake-up came may have missed its message; the one after it has not. */
const MAX_QUERIES = 2;

export type LaneOrder = ReturnType<typeof createLaneOrder>;

/**
 * Creates the order of lanes of one process. `claiming` lists the lanes that this process claims right now: they look free to a query, and
 * as many as a query returns would hide everybody behind them.
 */
export function createLaneOrder(db: Queryable, claiming: () => readonly string[]) {
  let isBacklog = false;
  let list: { lanes: readonly OldestLane[]; readonly isWhole: boolean; isUsed: boolean } = {
    lanes: [],
    isWhole: true,
    isUsed: false,
  };
  let query: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    try {
      const lanes = await listOldestLanes(db, MAX_LANES, claiming());
      list = { lanes, isWhole: lanes.length < MAX_LANES, isUsed: false };
    } finally {
      query = null;
    }
  };
  const takeFrom = <T>(of: typeof list, reserve: (lane: OldestLane) => T | null): T | null => {
    for (const [place, lane] of of.lanes.entries()) {
      const reserved = reserve(lane);
      if (reserved === null) continue;
      of.lanes = of.lanes.slice(place + 1);
      of.isUsed = true;
      return reserved;
    }
    of.lanes = [];
    return null;
  };

  return {
    /** True from the first look at many unread wake-ups until no lane is left to claim. */
    isBacklog: (): boolean => isBacklog,
    /** Notes how many wake-ups nobody has read yet. */
    note(unread: number): void {
      isBacklog ||= unread >= MIN_UNREAD;
    },
    /** Returns the next lane that `reserve` accepts; null when no lane is free that had a message before the call. */
    async next<T>(reserve: (lane: OldestLane) => T | null): Promise<T | null> {
      for (let queries = 0; ; queries++) {
        const reserved = takeFrom(list, reserve);
        if (reserved !== null) return reserved;
        // Others may have taken the whole of a list, and then more lanes wait.
        if (queries >= MAX_QUERIES && (list.isWhole || !list.isUsed)) {
          isBacklog &&= !list.isWhole;
          return null;
        }
        await (query ??= read());
      }
    },
  };
}
