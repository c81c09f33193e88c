import type { Driver, Instance, LogQuery } from '../drivers/driver.ts';
import type { DeployState, LogLine } from '@signalbox/contracts/operations/deploy';
import type { DeploymentWork } from './deployments-work.ts';
import type { Log } from '@signalbox/platform/log';
import { redactText } from '@signalbox/safety/redact/redact';
import { startLoop } from '@signalbox/platform/loop';

/** Pieces of one line are so long: what a driver cut is one line all the same. See drivers/lines.ts. */
const PIECE = 16_000;
const LONGEST = 2_000;
const FLUSH_MS = 300;
const BATCH = 500;
/** While the database is away, so many wait; the oldest go first. */
const WAITING = 5_000;
const REMEMBERED = 40;

/** Stores what builds and instances write, in batches. No line leaves it, in whatever direction, before every opened secret was taken out. */
export function createLineStore(options: {
  readonly work: Pick<DeploymentWork, 'addLines'>;
  readonly deploymentId: string;
  readonly epoch: number;
  readonly state: () => DeployState;
  readonly mask: (text: string) => string;
  readonly log: Log;
}) {
  const { work, deploymentId, epoch, mask, log } = options;
  let waiting: { readonly state: DeployState; readonly line: string }[] = [];
  const newest: string[] = [];
  const clean = createLineFilter(mask);
  let at = 0;
  let flushing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const state = waiting[0]?.state ?? options.state();
      const other = waiting.findIndex((one) => one.state !== state);
      const batch = waiting.slice(0, Math.min(BATCH, other === -1 ? BATCH : other));
      const lines = batch.map(({ line }) => line);
      await work.addLines(deploymentId, epoch, state, lines);
      // Earlier lines may have been dropped in the meantime.
      waiting = waiting.filter((one) => !batch.includes(one));
    }
  };
  const flush = (): Promise<void> => {
    flushing = flushing
      .then(write)
      .catch((error: unknown) => log.warn('lines not stored, they are tried again', { error }));
    return flushing;
  };
  const loop = startLoop({ name: 'lines', everyMs: FLUSH_MS, log, step: flush });

  return {
    push: (line: LogLine): void => {
      at = performance.now();
      const stored = clean(line);
      if (stored === null) return;
      waiting.push({ state: options.state(), line: stored });
      if (waiting.length > WAITING) waiting.splice(0, waiting.length - WAITING);
      newest.push(stored);
      if (newest.length > REMEMBERED) newest.shift();
    },
    /** The newest ones of this attempt, as they are stored. */
    last: (count: number): readonly string[] => newest.slice(-count),
    /** When the last one came, by the monotonic clock of this process; 0 before the first. */
    lastAt: (): number => at,
    /** Writes what is not written yet. */
    flush,
    close: async (): Promise<void> => {
      await loop.close();
      await flush();
    },
  };
}

export type LineStore = ReturnType<typeof createLineStore>;

/** What of a line may be kept: without secrets, and cut. Null for the rest of a line that a driver has cut: lines come in order. */
export function createLineFilter(
  mask: (text: string) => string,
): (line: Pick<LogLine, 'stream' | 'line'>) => string | null {
  const isCut: Record<LogLine['stream'], boolean> = { out: false, err: false };
  return ({ stream, line }) => {
    const isRest = isCut[stream];
    isCut[stream] = line.length >= PIECE;
    // A secret may stand across the cut, and no person reads that far.
    if (isRest) return null;
    const clean = redactText(mask(line));
    return clean.length > LONGEST ? `${clean.slice(0, LONGEST - 2)} …` : clean;
  };
}

/** The newest lines of an instance, the oldest first, as they may be kept. */
export async function readCleanLines(
  driver: Pick<Driver, 'logs'>,
  instance: Instance,
  query: LogQuery,
  mask: (text: string) => string,
): Promise<string[]> {
  const clean = createLineFilter(mask);
  const lines: string[] = [];
  for await (const line of driver.logs(instance, query)) lines.push(clean(line) ?? '…');
  return lines;
}
