import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { DiskSpace } from '@signalbox/contracts/size';
import type { Pool } from '@signalbox/store/pool';
import { RETAINED, runRetentionStep, type Retained } from '@signalbox/store/retention/retain';
import { noteSizes, readSizes } from '@signalbox/store/retention/sizes';
import type { HandlerOf } from '../runner/handlers.ts';

/** Days until each kind of history is deleted; 0: never. */
export interface RetentionSettings {
  readonly RETENTION_DAYS: number;
  readonly RETENTION_CHECKPOINT_DAYS: number;
  readonly RETENTION_WORK_DAYS: number;
}

/** Rows of one step: some milliseconds, so that nobody waits for it. */
const BATCH = 200;
/** Between two steps, people come first. */
const PAUSE_MS = 20;
/** After that the rest waits for the next run, below the deadline of the job. */
const MAX_RUN_MS = 8 * MINUTE_MS;
const SIZES_DEADLINE_MS = 10 * SECOND_MS;

/** Deletes what is older than the settings allow, in short steps, and notes the sizes of today. */
export function createRetentionHandler(parts: {
  readonly pool: Pool;
  readonly config: RetentionSettings;
  readonly disks: () => Promise<Readonly<Record<string, DiskSpace>>>;
}): HandlerOf<'retention.run'> {
  const { pool, config, disks } = parts;
  return {
    title: () => say('jobs.deletingOldHistory'),
    run: async (_, { signal }) => {
      const counts = await runRetention(pool, config, signal);
      await noteSizes(pool, await readSizes(pool, await disks(), SIZES_DEADLINE_MS));
      const { conversations, messages } = counts;
      return { conversations, messages, other: counts.checkpoints + counts.replies + counts.pages + counts.work };
    },
    say: (counts) => say('jobs.oldHistoryDeleted', counts),
    isNotable: ({ conversations, messages, other }) => conversations + messages + other > 0,
  };
}

/** Runs steps until nothing is too old, or its time is over. Returns the number of rows, and of conversations, that were handled. */
export async function runRetention(
  pool: Pool,
  settings: RetentionSettings,
  signal: AbortSignal,
): Promise<Readonly<Record<Retained, number>>> {
  const counts = { checkpoints: 0, conversations: 0, messages: 0, replies: 0, pages: 0, work: 0 };
  const endsAt = performance.now() + MAX_RUN_MS;
  for (const what of RETAINED) {
    const days = getDays(settings, what);
    if (days === 0) continue;
    while (performance.now() < endsAt) {
      signal.throwIfAborted();
      const handled = await runRetentionStep(pool, what, days, BATCH);
      counts[what] += handled;
      if (handled === 0) break;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
  return counts;
}

function getDays(settings: RetentionSettings, what: Retained): number {
  if (what === 'checkpoints') return settings.RETENTION_CHECKPOINT_DAYS;
  return what === 'work' ? settings.RETENTION_WORK_DAYS : settings.RETENTION_DAYS;
}
