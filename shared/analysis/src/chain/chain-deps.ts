import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { ChainResult } from '@signalbox/contracts/repository/chain-run';
import type { ChainName, StepName } from '@signalbox/contracts/repository/chains';
import type { Packages } from '@signalbox/contracts/repository/packages';
import type { ScanLocation } from '../scan/request.ts';
import type { ScanProcess } from '../scan/scan-process.ts';
import type { ScannedCommit } from '../scan/view.ts';
import type { IdentifiedFinding } from './identify-findings.ts';
import type { ListedFinding } from '../steps/step.ts';

/** Dependencies of chains. */
export interface ChainDeps {
  readonly records: ChainRecords;
  readonly log: {
    warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
    error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  };
  /** The PATH on which git is found. */
  readonly path: string;
  /** Starts a process for the scans of a commit. */
  startScan(place: ScanLocation, signal: AbortSignal): Pick<ScanProcess, 'open' | 'scan' | 'close'>;
}

/** Storage of chain runs, steps and findings. Methods may throw for a lost connection: see `isTransient`. */
export interface ChainRecords {
  listSteps(runId: string): Promise<readonly StepRecord[]>;
  /** Begins a step, or begins it again. Resolves to the number of that attempt, and to 0 when the step has ended. */
  beginStep(runId: string, step: { readonly step: number; readonly agent: StepName }): Promise<number>;
  /** Ends a step and keeps what it leaves, in one transaction. Does nothing for a step that has ended. */
  endStep(
    run: RunHandle,
    step: { readonly step: number; readonly name: StepName },
    end: StepEnd,
    left: StepResults | null,
  ): Promise<void>;
  /** Ends a run; the first end stays. */
  endRun(
    runId: string,
    end: Pick<ChainRun, 'problem' | 'counts'> & { readonly status: StepEnd['status'] },
  ): Promise<ChainRun>;
  countChanges(project: string, runId: string): Promise<NonNullable<ChainRun['counts']>>;
  /** Open findings of these analyzers, the most severe first. */
  listOpenFindings(project: string, analyzers: readonly string[]): Promise<readonly ListedFinding[]>;
  /** Caches of earlier scans of a project, by name. */
  readScanCaches(project: string, names: readonly string[]): Promise<Readonly<Record<string, Buffer>>>;
  /** Records in the audit that a step was denied a file. */
  recordDenial(
    run: RunHandle,
    step: { readonly name: string; readonly stepClass: AgentClass },
    denial: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** True for an error that may be gone at the next attempt. */
  isTransient(error: unknown): boolean;
}

/** The fields of a chain run that are used here. */
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

/** The fields of a recorded step that are used here. */
export interface StepRecord {
  readonly step: number;
  readonly agent: string;
  readonly status: ChainRun['status'];
  readonly output: unknown;
  readonly problem: string | null;
}

/** How a step ended. `stopped`: it was not begun, because something that it needs is missing. */
export interface StepEnd {
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output: unknown;
  readonly problem: string | null;
}

/** Results of a completed step. */
export interface StepResults {
  readonly analyzers: readonly string[];
  readonly found: readonly IdentifiedFinding[];
  /** Null when no manifest was read. */
  readonly packages: Packages | null;
  readonly documents: readonly Document[];
  readonly scanned: {
    /** New cache entries, by name. */
    readonly cache: Readonly<Record<string, Buffer>>;
    readonly counts: ScanCounts;
  } | null;
}

/** Files of the commit, and contents that were inspected or came from the cache. */
export type ScanCounts = { readonly files: number; readonly inspected: number; readonly cached: number };

/** A document that a step leaves with its run. */
export interface Document {
  readonly path: string;
  readonly mimeType: string;
  readonly text: string;
}

/** A run in progress. */
export interface RunHandle extends ScannedCommit {
  readonly run: Pick<ChainRun, 'runId' | 'project' | 'isDry'>;
  readonly chain: ChainName;
  /** The folder of the mirror that has the commit. */
  readonly mirror: string;
  /** A scan process that was started ahead. Whoever started it closes it. */
  readonly started?: ReturnType<ChainDeps['startScan']> | null;
  /** Who asked for the run, for the audit. */
  readonly actor: string;
  readonly threadId: string | null;
  /** The run of this chain before; null for the first. */
  readonly before: ChainRun | null;
  readonly signal: AbortSignal;
}
