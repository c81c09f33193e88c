import type { z } from 'zod';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import type { Finding } from '@signalbox/store/repository/findings';
import type { ChainRun } from '@signalbox/store/repository/chain-runs';
import type { Conclusion } from '../analyzers/analyzer.ts';

/** A finding as those who write about findings need it. */
export type Listed = Pick<
  Finding,
  'rule' | 'severity' | 'path' | 'line' | 'evidence' | 'values' | 'analyzer' | 'fingerprint'
> & {
  /** Null in a dry run, which opens none. */
  readonly findingId: string | null;
};

/** All that an agent may touch. What its class does not allow is refused and recorded, whatever the agent is. */
export interface AgentContext {
  readonly project: string;
  readonly chain: ChainName;
  readonly runId: string;
  readonly commit: string;
  /** The run of this chain before; null for the first. */
  readonly before: ChainRun | null;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** What the analyzers of this agent concluded, by name. */
  readonly conclusions: Readonly<Record<string, Conclusion>>;
  /** What is open by all that was scanned in this run so far, the most severe first. */
  findings(): Promise<readonly Listed[]>;
  /** The text of a file of the commit; null for what is no text. Throws PATH_DENIED. */
  read(path: string): Promise<string | null>;
  /** Leaves a document with the run, when the agent completes. Throws PATH_DENIED. */
  write(path: string, text: string, mimeType: string): Promise<void>;
}

/** An agent that works on repositories. Its class stands in the table of contracts. */
export interface RepositoryAgent<I = unknown, O = unknown> {
  /** What a step has to hand it; keys that a failed step left out are optional. */
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  /** What is scanned before it runs. */
  readonly analyzers: readonly string[];
  run(input: I, context: AgentContext): O | Promise<O>;
}
