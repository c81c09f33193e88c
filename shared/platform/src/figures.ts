import { SECOND_MS, waitAtMost } from '@signalbox/contracts/time';
import type { Log } from './log.ts';
import { createCounter, createGauge, type Sample } from './metrics.ts';
import type { createMetrics } from './probe.ts';

/** A figure that is read when somebody scrapes, such as a count of rows. */
export interface Figure extends Sample {
  /** Name without the prefix `signalbox_`. */
  readonly name: string;
}

/** How a figure is exported, by its name without the prefix `signalbox_`. A name that ends in `_total` is a counter. */
export type FigureKinds = Readonly<Record<string, { readonly help: string; readonly labels: readonly string[] }>>;

export interface FigureSource {
  /** Label of `signalbox_scrape_ok`. */
  readonly name: string;
  readonly kinds: FigureKinds;
  read(): Promise<readonly Figure[]>;
}

/** Several scrapers, or several replicas of one, cost one reading in this time. */
const CACHE_MS = 10 * SECOND_MS;
/** Prometheus gives a scrape 10 seconds. */
export const FIGURES_DEADLINE_MS = 2 * SECOND_MS;

/**
 * Exports the figures of each added source. While a source fails or is slow its figures are absent, and `signalbox_scrape_ok` is 0. A source
 * is never read twice at once.
 */
export function createFigures(registry: ReturnType<typeof createMetrics>, log: Log, cacheMs = CACHE_MS) {
  const reads = new Map<string, () => Promise<readonly Figure[] | null>>();
  const help = '1 when the figures of this source could be read in time, else 0: then they are absent.';
  createGauge(registry, 'signalbox_scrape_ok', help, ['source'], {
    collect: () =>
      Promise.all(
        [...reads].map(async ([source, read]) => ({ labels: { source }, value: (await read()) === null ? 0 : 1 })),
      ),
  });
  return {
    add: (source: FigureSource): void => {
      const read = createReader(source, log, cacheMs);
      reads.set(source.name, read);
      for (const [name, kind] of Object.entries(source.kinds)) {
        const collect = async () => ((await read()) ?? []).filter((figure) => figure.name === name);
        const create = name.endsWith('_total') ? createCounter : createGauge;
        create(registry, `signalbox_${name}`, kind.help, kind.labels, { collect });
      }
    },
  };
}

function createReader(source: FigureSource, log: Log, cacheMs: number): () => Promise<readonly Figure[] | null> {
  let last: { readonly at: number; readonly figures: readonly Figure[] | null } | null = null;
  let reading: Promise<void> | null = null;
  const start = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      last = { at: startedAt, figures: await source.read() };
    } catch (error) {
      last = { at: startedAt, figures: null };
      log.warn('figures could not be read', { source: source.name, error });
    } finally {
      reading = null;
    }
  };
  return async () => {
    if (reading === null && last !== null && performance.now() - last.at < cacheMs) return last.figures;
    const isRead = await waitAtMost(
      (reading ??= start()).then(() => true),
      FIGURES_DEADLINE_MS,
    );
    return isRead ? (last?.figures ?? null) : null;
  };
}
