import { z } from 'zod';
import { RawFinding } from '@signalbox/contracts/repository/finding';
import { Packages } from '@signalbox/contracts/repository/packages';
import { UnreadFiles } from '@signalbox/contracts/repository/unread';
import type { AnalyzerResult } from '../analyzer.ts';
import type { ChainDeps, RunHandle, ScanCounts } from './chain-deps.ts';
import { CHURN_KEY } from '../scan/cache.ts';
import type { ScanDone } from '../scan/request.ts';
import { ScanKilled, ScanTooSlow } from '../scan/scan-process.ts';

/** Maximum number of slow files; more slow files indicate an attack. */
const MAX_SLOW_FILES = 10;

export interface StepScan {
  readonly conclusions: Readonly<Record<string, AnalyzerResult>>;
  /** New cache entries, by cache name. */
  readonly cache: Readonly<Record<string, Buffer>>;
  readonly counts: ScanCounts;
}

/** Scans for all steps of a run in one process, so that each file content is read once. */
export class ChainScanner {
  readonly #deps: ChainDeps;
  readonly #handle: RunHandle;
  readonly #analyzers: readonly string[];
  readonly #without = new Set<string>();
  #started: ReturnType<ChainDeps['startScan']> | null;
  #process: ReturnType<ChainDeps['startScan']> | null = null;

  /** `analyzers`: names of all analyzers that the steps of the run use. */
  constructor(deps: ChainDeps, handle: RunHandle, analyzers: readonly string[]) {
    this.#deps = deps;
    this.#handle = handle;
    this.#started = handle.started ?? null;
    this.#analyzers = [...new Set(analyzers)];
  }

  /** Scans for one step; callers wait for the previous call. Retries once when the process was killed. Throws when the scan fails. */
  async scan(analyzers: readonly string[]): Promise<StepScan> {
    const answer = await this.#ask(analyzers).catch((error: unknown) => {
      if (!(error instanceof ScanKilled)) throw error;
      this.#deps.log.warn('a scan was killed and is begun once more', { run: this.#handle.run.runId });
      return this.#ask(analyzers);
    });
    const conclusions: Record<string, AnalyzerResult> = {};
    for (const name of analyzers) {
      const conclusion = answer.result.conclusions[name];
      if (!conclusion) throw new Error(`the scan says nothing of ${name}`);
      const { found, summary, packages, unread = [] } = conclusion;
      conclusions[name] = {
        found: z.array(RawFinding).parse(found),
        summary,
        unread: z.array(UnreadFiles).parse(unread),
        ...(packages ? { packages: Packages.parse(packages) } : {}),
      };
    }
    const names = [...analyzers, CHURN_KEY].filter((name) => Object.hasOwn(answer.cache, name));
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
      // The next scan starts a new process.
      this.close();
      if (!(error instanceof ScanTooSlow) || this.#without.size >= MAX_SLOW_FILES) throw error;
      this.#deps.log.warn('a file took too long to read, and is left out', { run: this.#handle.run.runId });
      this.#without.add(error.path);
      return await this.#ask(analyzers);
    }
  }

  async #start() {
    const { mirror: dir, commit, folder, signal, run } = this.#handle;
    const kept = await this.#deps.records.readScanCaches(run.project, [...this.#analyzers, CHURN_KEY]);
    const cache = Object.fromEntries(Object.entries(kept).map(([name, bytes]) => [name, bytes.toString('base64')]));
    const started = this.#started ?? this.#deps.startScan({ dir, path: this.#deps.path }, signal);
    this.#started = null;
    started.open({ commit, folder, cache, without: [...this.#without] });
    return started;
  }
}
