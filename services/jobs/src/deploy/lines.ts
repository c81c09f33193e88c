import type { Driver, Instance, LogQuery } from '../drivers/driver.ts';
import type { DeployState, LogLine } from '@signalbox/contracts/operations/deploy';
import type { DeploymentWork } from './deployments-work.ts';
import type { Log } from '@signalbox/platform/log';
import { redactText } from '@signalbox/safety/redact/redact';
import { startLoop } from '@signalbox/platform/loop';

/** Length of the pieces into which drivers cut a long line. See drivers/lines.ts. */
const PIECE = 16_000;
const LONGEST = 2_000;
const FLUSH_MS = 300;
const BATCH = 500;
/** Lines buffered while the database is away; the oldest are dropped. */
const WAITING = 5_000;
const REMEMBERED = 40;

/** Stores output of builds and instances in batches. Every opened secret is redacted before a line leaves it. */
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
      // Earlier lines may have been dropped meanwhile.
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
    /** The newest lines of this attempt, as stored. */
    last: (count: number): readonly string[] => newest.slice(-count),
    /** Time of the last line by the monotonic clock of this process; 0 before the first. */
    lastAt: (): number => at,
    flush,
    close: async (): Promise<void> => {
      await loop.close();
      await flush();
    },
  };
}

export type LineStore = ReturnType<typeof createLineStore>;

/** Creates a filter that redacts and cuts lines. Null for the remaining pieces of a long line, which come in order. */
export function createLineFilter(
  mask: (text: string) => string,
): (line: Pick<LogLine, 'stream' | 'line'>) => string | null {
  const isCut: Record<LogLine['stream'], boolean> = { out: false, err: false };
  return ({ stream, line }) => {
    const isRest = isCut[stream];
    isCut[stream] = line.length >= PIECE;
    // A secret may cross the cut, and nobody reads that far.
    if (isRest) return null;
    const clean = redactText(mask(line));
    return clean.length > LONGEST ? `${clean.slice(0, LONGEST - 2)} …` : clean;
  };
}

/** Reads the newest lines of an instance, redacted, oldest first. */
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
