import type { z } from 'zod';
import type { ShownFinding } from '@signalbox/contracts/repository/chain-run';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import type { AnalyzerResult } from '../analyzer.ts';
import type { ReportContent } from '../reports/report.ts';

/** A finding for steps that report findings. `findingId` is null in a dry run. */
export interface ListedFinding extends ShownFinding {
  readonly analyzer: string;
  readonly fingerprint: string;
}

/** Everything that a step may use. Denied operations are recorded. */
export interface StepContext {
  readonly project: string;
  readonly chain: ChainName;
  readonly runId: string;
  readonly commit: string;
  /** Previous run of this chain; null for the first. */
  readonly before: ReportContent['runs'][number] | null;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Conclusions of this step's analyzers, by name. */
  readonly conclusions: Readonly<Record<string, AnalyzerResult>>;
  /** Lists open findings of all analyzers that have run so far, most severe first. */
  findings(): Promise<readonly ListedFinding[]>;
  /** Reads a file of the commit; null for a binary file. Throws PATH_DENIED. */
  read(path: string): Promise<string | null>;
  /** Stores a document with the run when the step completes. Throws PATH_DENIED. */
  write(path: string, text: string, mimeType: string): Promise<void>;
}

/** A step of chains. STEP_CLASSES has its class. */
export interface AnalysisStep<I = unknown, O = unknown> {
  /** Outputs of earlier steps. Keys of a step that may fail are optional. */
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  /** Analyzers that run before this step. */
  readonly analyzers: readonly string[];
  run(input: I, context: StepContext): O | Promise<O>;
}
