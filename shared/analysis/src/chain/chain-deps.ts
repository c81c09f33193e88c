import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { ChainResult } from '@signalbox/contracts/repository/chain-run';
import type { ChainName, StepName } from '@signalbox/contracts/repository/chains';
import type { Packages } from '@signalbox/contracts/repository/packages';
import type { ScanLocation } from '../scan/request.ts';
import type { ScanProcess } from '../scan/scan-process.ts';
import type { ScannedCommit } from '../scan/view.ts';
import type { IdentifiedFinding } from './identify-findings.ts';
import type { ListedFinding } from '../steps/step.ts';

export interface ChainDeps {
  readonly records: ChainStore;
  readonly log: {
    warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
    error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  };
  /** The PATH variable in which git is found. */
  readonly path: string;
  startScan(place: ScanLocation, signal: AbortSignal): Pick<ScanProcess, 'open' | 'scan' | 'close'>;
}

/** Storage of chain runs, steps and findings. Methods may throw when a connection is lost: see `isTransient`. */
export interface ChainStore {
  listSteps(runId: string): Promise<readonly StepRecord[]>;
  /** Starts or restarts a step. Resolves to the number of attempts, or 0 when the step has already ended. */
  beginStep(runId: string, step: { readonly step: number; readonly agent: StepName }): Promise<number>;
  /** Ends a step and stores its results in one transaction. Does nothing when the step has already ended. */
  endStep(
    run: RunHandle,
    step: { readonly step: number; readonly name: StepName },
    end: StepEnd,
    left: StepResults | null,
  ): Promise<void>;
  /** Ends a run. A second call does not change how the run ended. */
  endRun(
    runId: string,
    end: Pick<ChainRun, 'problem' | 'counts'> & { readonly status: StepEnd['status'] },
  ): Promise<ChainRun>;
  countChanges(project: string, runId: string): Promise<NonNullable<ChainRun['counts']>>;
  /** Lists open findings of the given analyzers, most severe first. */
  listOpenFindings(project: string, analyzers: readonly string[]): Promise<readonly ListedFinding[]>;
  readScanCaches(project: string, names: readonly string[]): Promise<Readonly<Record<string, Buffer>>>;
  /** Records in the audit log that a step was denied access to a file. */
  recordDenial(
    run: RunHandle,
    step: { readonly name: string; readonly stepClass: AgentClass },
    denial: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** True for an error, such as a lost connection, that may not happen at the next attempt. */
  isTransient(error: unknown): boolean;
}

/** The fields of a stored chain run that chains use. */
export interface ChainRun {
  readonly runId: string;
  readonly project: string;
  readonly chain: ChainName;
  readonly commitId: string | null;
  readonly status: 'running' | StepEnd['status'];
  readonly isDry: boolean;
  readonly problem: string | null;
  readonly counts: ChainResult['counts'];
  readonly finishedAt: Date | null;
}

/** The fields of a stored step that chains use. */
export interface StepRecord {
  readonly step: number;
  readonly agent: string;
  readonly status: ChainRun['status'];
  readonly output: unknown;
  readonly problem: string | null;
}

/** How a step ended. `stopped`: the step never started, because a requirement was missing. */
export interface StepEnd {
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output: unknown;
  readonly problem: string | null;
}

export interface StepResults {
  readonly analyzers: readonly string[];
  readonly found: readonly IdentifiedFinding[];
  /** Packages in the manifests; null when no manifest was read. */
  readonly packages: Packages | null;
  readonly documents: readonly StepDocument[];
  readonly scanned: {
    /** New cache entries, by cache name. */
    readonly cache: Readonly<Record<string, Buffer>>;
    readonly counts: ScanCounts;
  } | null;
}

/** Number of files in the commit, and of contents that were inspected or found in the cache. */
export type ScanCounts = { readonly files: number; readonly inspected: number; readonly cached: number };

/** A document that a step stores with its chain run. */
export interface StepDocument {
  readonly path: string;
  readonly mimeType: string;
  readonly text: string;
}

export interface RunHandle extends ScannedCommit {
  readonly run: Pick<ChainRun, 'runId' | 'project' | 'isDry'>;
  readonly chain: ChainName;
  /** Path of the git mirror that contains the commit. */
  readonly mirror: string;
  /** A scan process that the caller started in advance; the caller also closes it. */
  readonly started?: ReturnType<ChainDeps['startScan']> | null;
  /** Person who requested the run, for the audit log. */
  readonly actor: string;
  readonly threadId: string | null;
  /** Previous run of this chain; null for the first. */
  readonly before: ChainRun | null;
  readonly signal: AbortSignal;
}
