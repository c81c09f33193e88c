import type { Driver, ProgramInstance, LogQuery } from '../drivers/driver.ts';
import type { DeployState, LogLine } from '@signalbox/contracts/operations/deploy';
import type { DeploymentStore } from './deployment-work.ts';
import type { Log } from '@signalbox/platform/log';
import { redactText } from '@signalbox/safety/redact/redact';
import { startLoop } from '@signalbox/platform/loop';

/** Minimum length of the pieces into which drivers cut longer lines: see drivers/split-lines.ts. */
const PIECE_LENGTH = 16_000;
const MAX_LINE_LENGTH = 2_000;
const FLUSH_MS = 300;
const BATCH_LINES = 500;
/** Maximum number of lines kept in memory while the database is unavailable; older lines are dropped. */
const MAX_WAITING_LINES = 5_000;
const MAX_NEWEST_LINES = 40;

/** Stores the output of builds and instances in batches, after redacting every opened secret. */
export function createLineStore(options: {
  readonly work: Pick<DeploymentStore, 'addLines'>;
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
      const batch = waiting.slice(0, Math.min(BATCH_LINES, other === -1 ? BATCH_LINES : other));
      const lines = batch.map(({ line }) => line);
      await work.addLines(deploymentId, epoch, state, lines);
      // `push` may have dropped some of these lines meanwhile.
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
      if (waiting.length > MAX_WAITING_LINES) waiting.splice(0, waiting.length - MAX_WAITING_LINES);
      newest.push(stored);
      if (newest.length > MAX_NEWEST_LINES) newest.shift();
    },
    last: (count: number): readonly string[] => newest.slice(-count),
    /** Returns the time of the last line, by performance.now(); 0 before the first line. */
    lastAt: (): number => at,
    flush,
    close: async (): Promise<void> => {
      await loop.close();
      await flush();
    },
  };
}

export type LineStore = ReturnType<typeof createLineStore>;

/** Creates a filter that redacts and shortens lines. It returns null for the later pieces of a cut line. */
export function createLineFilter(
  mask: (text: string) => string,
): (line: Pick<LogLine, 'stream' | 'line'>) => string | null {
  const isCut: Record<LogLine['stream'], boolean> = { out: false, err: false };
  return ({ stream, line }) => {
    const isRest = isCut[stream];
    isCut[stream] = line.length >= PIECE_LENGTH;
    // A secret may span two pieces, where it would not be recognized, so later pieces are dropped.
    if (isRest) return null;
    const clean = redactText(mask(line));
    return clean.length > MAX_LINE_LENGTH ? `${clean.slice(0, MAX_LINE_LENGTH - 2)} …` : clean;
  };
}

/** Reads the newest lines of an instance, redacted, oldest first. */
export async function readCleanLines(
  driver: Pick<Driver, 'logs'>,
  instance: ProgramInstance,
  query: LogQuery,
  mask: (text: string) => string,
): Promise<string[]> {
  const clean = createLineFilter(mask);
  const lines: string[] = [];
  for await (const line of driver.logs(instance, query)) lines.push(clean(line) ?? '…');
  return lines;
}
