import { z } from 'zod';
import { Found } from '@signalbox/contracts/repository/finding';
import { Packages } from '@signalbox/contracts/repository/packages';
import { readScanCaches } from '@signalbox/store/repository/scan-caches';
import type { Conclusion } from './analyzers/analyzer.ts';
import type { ChainParts, RunHandle } from './run-parts.ts';
import { CHURN } from './scan/cache.ts';
import type { ScanDone } from './scan/request.ts';
import { ScanKilled, ScanTooSlow } from './scan/scan-process.ts';

/** A repository with more files that take too long is made for that. */
const SLOW_FILES = 10;

/** What a scan of a step came to. */
export interface StepScan {
  readonly conclusions: Readonly<Record<string, Conclusion>>;
  /** What is new in the cache, by name. */
  readonly cache: Readonly<Record<string, Buffer>>;
  /** Files of the commit, and contents that were looked at or known. */
  readonly counts: { readonly files: number; readonly inspected: number; readonly cached: number };
}

/** The scans of one run. One process does them all: it starts with the first, and what it has read serves the others. */
export class ChainScans {
  readonly #parts: ChainParts;
  readonly #open: RunHandle;
  readonly #analyzers: readonly string[];
  readonly #without = new Set<string>();
  #started: ReturnType<ChainParts['startScan']> | null;
  #process: ReturnType<ChainParts['startScan']> | null = null;

  /** `analyzers`: all that may be asked for. */
  constructor(parts: ChainParts, open: RunHandle, analyzers: readonly string[]) {
    this.#parts = parts;
    this.#open = open;
    this.#started = open.started ?? null;
    this.#analyzers = [...new Set(analyzers)];
  }

  /** Scans for a step; one at a time. What is found once is not looked for again. Throws what a scan died of. */
  async scan(analyzers: readonly string[]): Promise<StepScan> {
    const answer = await this.#ask(analyzers).catch((error: unknown) => {
      if (!(error instanceof ScanKilled)) throw error;
      this.#parts.log.warn('a scan was killed and is begun once more', { run: this.#open.run.runId });
      return this.#ask(analyzers);
    });
    const conclusions: Record<string, Conclusion> = {};
    for (const name of analyzers) {
      const conclusion = answer.result.conclusions[name];
      if (!conclusion) throw new Error(`the scan says nothing of ${name}`);
      const { found, summary, packages, unread = [] } = conclusion;
      conclusions[name] = {
        found: z.array(Found).parse(found),
        summary,
        unread: z.array(z.string()).parse(unread),
        ...(packages ? { packages: Packages.parse(packages) } : {}),
      };
    }
    const names = [...analyzers, CHURN].filter((name) => Object.hasOwn(answer.cache, name));
    const cache = Object.fromEntries(names.map((name) => [name, Buffer.from(answer.cache[name] ?? '', 'base64')]));
    const { files, inspected, known: cached } = answer.result;
    return { conclusions, cache, counts: { files, inspected, cached } };
  }

  close(): void {
    this.#process?.close();
    this.#process = null;
  }

  async #ask(analyzers: readonly string[]): Promise<ScanDone> {
    try {
      this.#process ??= await this.#start();
      return await this.#process.scan(analyzers);
    } catch (error) {
      // The next scan is not to die of what this one did.
      this.close();
      if (!(error instanceof ScanTooSlow) || this.#without.size >= SLOW_FILES) throw error;
      this.#parts.log.warn('a file took too long to read, and is left out', { run: this.#open.run.runId });
      this.#without.add(error.path);
      return await this.#ask(analyzers);
    }
  }

  async #start() {
    const { mirror: dir, commit, folder, signal, run } = this.#open;
    const kept = await readScanCaches(this.#parts.pool, run.project, [...this.#analyzers, CHURN]);
    const cache = Object.fromEntries(Object.entries(kept).map(([name, bytes]) => [name, bytes.toString('base64')]));
    const started = this.#started ?? this.#parts.startScan({ dir, path: this.#parts.path }, signal);
    this.#started = null;
    started.open({ commit, folder, cache, without: [...this.#without] });
    return started;
  }
}
