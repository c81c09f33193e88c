import type { z } from 'zod';
import type { ShownFinding } from '@signalbox/contracts/repository/chain-run';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import type { AnalyzerResult } from '../analyzer.ts';
import type { ReportContent } from '../reports/report.ts';

/** A finding for the steps that write reports. `findingId` is null in a dry run. */
export interface ListedFinding extends ShownFinding {
  readonly analyzer: string;
  readonly fingerprint: string;
}

/** What a step can use. Denied operations are recorded in the audit log. */
export interface StepContext {
  readonly project: string;
  readonly chain: ChainName;
  readonly runId: string;
  readonly commit: string;
  /** Previous run of this chain; null for the first run. */
  readonly before: ReportContent['runs'][number] | null;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Conclusions of this step's analyzers, by name. */
  readonly conclusions: Readonly<Record<string, AnalyzerResult>>;
  /** Lists the open findings of all analyzers that have run so far, most severe first. */
  findings(): Promise<readonly ListedFinding[]>;
  /** Lists the open findings of all chains; in a dry run those that it has found so far. */
  allFindings(): Promise<readonly ListedFinding[]>;
  /** Reads a file of the commit; null when the file is binary. Throws PATH_DENIED. */
  read(path: string): Promise<string | null>;
  /** Stores a document with the chain run when the step completes. Throws PATH_DENIED. */
  write(path: string, text: string, mimeType: string): Promise<void>;
}

/** A step of a chain. STEP_CLASSES lists the class of each step. */
export interface AnalysisStep<I = unknown, O = unknown> {
  /** Schema of the outputs of earlier steps. Keys of a step that may fail are optional. */
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  /** Names of the analyzers that run before this step. */
  readonly analyzers: readonly string[];
  run(input: I, context: StepContext): O | Promise<O>;
}
