import type { z } from 'zod';
import type { ShownFinding } from '@signalbox/contracts/repository/chain-run';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import type { Conclusion } from '../analyzer.ts';
import type { ReportContent } from '../reports/report.ts';

/** A finding as the steps that write about findings need it. `findingId` is null in a dry run. */
export interface ListedFinding extends ShownFinding {
  readonly analyzer: string;
  readonly fingerprint: string;
}

/** All that a step may touch. What its class does not allow is denied and recorded. */
export interface StepContext {
  readonly project: string;
  readonly chain: ChainName;
  readonly runId: string;
  readonly commit: string;
  /** The run of this chain before; null for the first. */
  readonly before: ReportContent['runs'][number] | null;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** What the analyzers of this step concluded, by name. */
  readonly conclusions: Readonly<Record<string, Conclusion>>;
  /** Open findings of everything that was scanned in this run so far, the most severe first. */
  findings(): Promise<readonly ListedFinding[]>;
  /** The text of a file of the commit; null for a binary file. Throws PATH_DENIED. */
  read(path: string): Promise<string | null>;
  /** Keeps a document with the run once the step completes. Throws PATH_DENIED. */
  write(path: string, text: string, mimeType: string): Promise<void>;
}

/** One kind of step that chains are made of. Its class stands in STEP_CLASSES. */
export interface AnalysisStep<I = unknown, O = unknown> {
  /** What earlier steps hand it. Keys that a failed step may leave out are optional. */
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  /** The analyzers that run before it. */
  readonly analyzers: readonly string[];
  run(input: I, context: StepContext): O | Promise<O>;
}
