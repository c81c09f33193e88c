import type { Artifact, DriverName, Instance } from '@signalbox/contracts/operations/drivers';
import type { Readable, Writable } from 'node:stream';
import { ServiceKey, type Inventory, type LogLine, type ServiceFile } from '@signalbox/contracts/operations/deploy';
import { z } from 'zod';

export type { Artifact, Instance };

/** Id of a release. Artifacts and instances carry it as labels; drivers touch nothing without them. */
export const ReleaseId = ServiceKey.extend({
  deploymentId: z.string(),
  /** Value of $SIGNALBOX_RELEASE, which the instance has to report. */
  release: z.string(),
  // Labels are strings.
  fence: z.coerce.number().int().nonnegative(),
});
export type ReleaseId = Readonly<z.output<typeof ReleaseId>>;

export interface BuildRequest {
  readonly id: ReleaseId;
  /** A checkout of the commit on this machine, without .git. It is not changed. */
  readonly sourceDir: string;
  readonly file: ServiceFile;
  readonly onLine: (line: LogLine) => void;
  /** Aborts the build; `build` settles when all of its processes are gone. */
  readonly signal: AbortSignal;
}

export interface InstanceRequest {
  readonly id: ReleaseId;
  readonly artifact: Artifact;
  readonly file: ServiceFile;
  /** Plain values, including secrets: never in an argv, a label or a log. */
  readonly variables: Readonly<Record<string, string>>;
  /** Leased port of the server; an engine may choose another. */
  readonly port: number;
}

export type InstanceState =
  | {
      readonly kind: 'running';
      readonly restarts: number;
      readonly memoryMb: number | null;
      /** Last exit, until it is restarted. */
      readonly lastExit?: number;
    }
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly oom: boolean;
      readonly at: string | null;
      /**
       * Reason why no supervisor restarts it although it did not exit by itself or crash too often: its engine or machine went down. Null
       * otherwise. Also set for a deliberately stopped instance; the caller knows what should run.
       */
      readonly lost: string | null;
      readonly restarts: number;
    }
  | { readonly kind: 'gone' };

/** Consecutive restarts by a supervisor: the limit of a crash loop, so that one ends even without a job service. */
export const RESTARTS = 10;

/** An instance of a service on a target, running or not. */
export interface FoundInstance {
  readonly id: ReleaseId;
  readonly instance: Instance;
  readonly state: InstanceState;
}

export interface LogQuery {
  /** Number of newest lines. */
  readonly tail: number;
  readonly since?: Date;
  readonly until?: Date;
  /** Follows new lines until the signal. */
  readonly follow?: boolean;
  readonly signal: AbortSignal;
}

export interface ExecuteOptions {
  /** Aborts it; `execute` throws the reason. */
  readonly signal: AbortSignal;
  /** Stored output bytes. */
  readonly maxBytes: number;
  readonly input?: Readable;
  readonly output?: Writable;
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

/** A command that kept running after its connection was lost, until it was ended. */
export interface EndedCommand {
  readonly pid: number;
  readonly ranMs: number;
}

/**
 * A way to run releases on a server. Methods have a deadline through their signal, are idempotent, and touch only labeled resources. A lost
 * connection throws TARGET_LOST (outcome unknown); an unreachable server throws TARGET_UNREACHABLE.
 */
export interface Driver {
  readonly name: DriverName;
  /** Describes the steps in sentences; changes nothing. */
  plan(request: Pick<BuildRequest, 'id' | 'file'>): readonly string[];
  inspect(signal: AbortSignal): Promise<Inventory>;
  /** Throws BUILD_FAILED with the exit code; the signal's reason when it was aborted. */
  build(request: BuildRequest): Promise<Artifact>;
  /** Ends left-over processes of this build; settles when none is left. */
  endBuild(id: ReleaseId, signal: AbortSignal): Promise<void>;
  /** Processor time of a running build, in milliseconds; null when unknown. */
  buildCpuMs?(id: ReleaseId, signal: AbortSignal): Promise<number | null>;
  /** Starts the release, or returns the existing instance of that deployment. */
  start(request: InstanceRequest, signal: AbortSignal): Promise<Instance>;
  state(instance: Instance, signal: AbortSignal): Promise<InstanceState>;
  /** Stops it, by force after `graceMs`. Its log stays readable. */
  stop(instance: Instance, graceMs: number, signal: AbortSignal): Promise<'graceful' | 'killed' | 'gone'>;
  /** Oldest first, not redacted. */
  logs(instance: Instance, query: LogQuery): AsyncIterable<LogLine>;
  find(service: ServiceKey, signal: AbortSignal): Promise<readonly FoundInstance[]>;
  /** True when it can still be started. */
  has(artifact: Artifact, signal: AbortSignal): Promise<boolean>;
  /** Removes an artifact and its stopped instances. Idempotent. */
  discard(artifact: Artifact, signal: AbortSignal): Promise<void>;
  /** Local folder of the artifact; null when it no longer exists. Undefined for drivers without local folders. */
  releaseFolder?(artifact: Artifact): string | null;
  /** Runs a program on the server without a shell, for diagnosis. */
  execute(argv: readonly string[], options: ExecuteOptions): Promise<CommandResult>;
  /** Ends programs of `execute` whose connection was lost. Undefined for drivers without connections. */
  endLost?(signal: AbortSignal): Promise<readonly EndedCommand[]>;
  close(): Promise<void>;
}
