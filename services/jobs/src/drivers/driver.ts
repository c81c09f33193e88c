import type { Artifact, DriverName, Instance } from '@signalbox/contracts/operations/drivers';
import type { Readable, Writable } from 'node:stream';
import { ServiceKey, type Inventory, type LogLine, type ServiceFile } from '@signalbox/contracts/operations/deploy';
import { z } from 'zod';

export type { Artifact, Instance };

/** Whose release: what is built and started carries it as a label, and nothing without it is ever touched. */
export const ReleaseId = ServiceKey.extend({
  deploymentId: z.string(),
  /** What the instance has to report, in $SIGNALBOX_RELEASE. */
  release: z.string(),
  // An engine's labels are texts.
  fence: z.coerce.number().int().nonnegative(),
});
export type ReleaseId = Readonly<z.output<typeof ReleaseId>>;

export interface BuildRequest {
  readonly id: ReleaseId;
  /** A checkout of the commit on this machine, without .git. It is not changed. */
  readonly sourceDir: string;
  readonly file: ServiceFile;
  /** Each line as it is written. */
  readonly onLine: (line: LogLine) => void;
  /** Ends every process of the build, wherever it runs; `build` settles only when they are gone. */
  readonly signal: AbortSignal;
}

export interface InstanceRequest {
  readonly id: ReleaseId;
  readonly artifact: Artifact;
  readonly file: ServiceFile;
  /** Values as they are, secrets too: never in an argv, a label or a log. */
  readonly variables: Readonly<Record<string, string>>;
  /** A port of the server that was leased for it; an engine may choose another. */
  readonly port: number;
}

export type InstanceState =
  | {
      readonly kind: 'running';
      readonly restarts: number;
      readonly memoryMb: number | null;
      /** How it ended the last time, as long as it has not been started again. */
      readonly lastExit?: number;
    }
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly oom: boolean;
      readonly at: string | null;
      /**
       * Why no supervisor starts it again although it neither ended by itself nor crashed too often: what it ran on went down. Null when it
       * did. Of one that was stopped on purpose this may be said too: the caller knows what should run.
       */
      readonly lost: string | null;
      /** How often it had been started again. */
      readonly restarts: number;
    }
  | { readonly kind: 'gone' };

/**
 * Times in a row that a supervisor starts a crashed program again: as often as a crash loop may, so that one ends also while no job
 * service looks.
 */
export const RESTARTS = 10;

/** What lies on a target under a service's labels, running or not. */
export interface FoundInstance {
  readonly id: ReleaseId;
  readonly instance: Instance;
  readonly state: InstanceState;
}

export interface LogQuery {
  /** The newest so many lines. */
  readonly tail: number;
  readonly since?: Date;
  readonly until?: Date;
  /** Goes on with new lines until the signal. */
  readonly follow?: boolean;
  readonly signal: AbortSignal;
}

export interface ExecuteOptions {
  /** Ends it, and `execute` throws its reason. */
  readonly signal: AbortSignal;
  /** Of its output, so much is kept. */
  readonly maxBytes: number;
  /** What it reads; it reads nothing when this is left out. */
  readonly input?: Readable;
  /** Gets what it writes, to the end, and the result has none of it. */
  readonly output?: Writable;
}

export interface CommandResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** More was written than was kept. */
  readonly truncated: boolean;
}

/** A command that ran on after its link was lost, until it was ended. */
export interface EndedCommand {
  readonly pid: number;
  readonly ranMs: number;
}

/**
 * One way to run releases on a server. Every method has a deadline through its signal, may be called again after a crash with the
 * same arguments, and touches only what carries Signalbox's labels. A link that drops throws TARGET_LOST: the outcome is unknown,
 * never success. A server that does not answer throws TARGET_UNREACHABLE.
 */
export interface Driver {
  readonly name: DriverName;
  /** What would be done, in sentences; touches nothing. */
  plan(request: Pick<BuildRequest, 'id' | 'file'>): readonly string[];
  inspect(signal: AbortSignal): Promise<Inventory>;
  /** Throws BUILD_FAILED with the exit code; the signal's reason when it was aborted. */
  build(request: BuildRequest): Promise<Artifact>;
  /** Ends what an earlier process left running of this build. Settles when nothing of it is left. */
  endBuild(id: ReleaseId, signal: AbortSignal): Promise<void>;
  /** Processor time that a running build has used so far, in milliseconds; null when that is not known. Grows while it computes. */
  buildCpuMs?(id: ReleaseId, signal: AbortSignal): Promise<number | null>;
  /** Starts it, or gives the instance of that deployment which is there. */
  start(request: InstanceRequest, signal: AbortSignal): Promise<Instance>;
  state(instance: Instance, signal: AbortSignal): Promise<InstanceState>;
  /** Asks it to end, and makes it end after `graceMs`. Its log stays readable. */
  stop(instance: Instance, graceMs: number, signal: AbortSignal): Promise<'graceful' | 'killed' | 'gone'>;
  /** The oldest first. Not redacted. */
  logs(instance: Instance, query: LogQuery): AsyncIterable<LogLine>;
  find(service: ServiceKey, signal: AbortSignal): Promise<readonly FoundInstance[]>;
  /** Whether it can still be started. */
  has(artifact: Artifact, signal: AbortSignal): Promise<boolean>;
  /** Removes an artifact and the stopped instances of it. Harmless when it is gone. */
  discard(artifact: Artifact, signal: AbortSignal): Promise<void>;
  /**
   * The folder of this machine that holds what was built, with nothing else in it; null when it is no longer there. Left out where
   * releases are no folders of this machine.
   */
  releaseFolder?(artifact: Artifact): string | null;
  /** Runs one program on the server, without a shell, for diagnosis. */
  execute(argv: readonly string[], options: ExecuteOptions): Promise<CommandResult>;
  /**
   * Ends what programs of `execute` have left running whose outcome was lost with the link. Left out where a link cannot drop: there
   * they end with their process.
   */
  endLost?(signal: AbortSignal): Promise<readonly EndedCommand[]>;
  close(): Promise<void>;
}
