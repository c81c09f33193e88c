import type { BuildArtifact, DriverName, ProgramInstance } from '@signalbox/contracts/operations/drivers';
import type { Readable, Writable } from 'node:stream';
import { ServiceKey, type HostInventory, type LogLine, type ServiceFile } from '@signalbox/contracts/operations/deploy';
import { z } from 'zod';

export type { BuildArtifact, ProgramInstance };

/** Id of a release. Artifacts and instances carry its fields as labels; drivers touch nothing without these labels. */
export const ReleaseId = ServiceKey.extend({
  deploymentId: z.string(),
  /** Value of $SIGNALBOX_RELEASE, which the program has to report in its health check. */
  release: z.string(),
  // Epoch of the deployment's lease. Labels are strings, so the number is coerced.
  fence: z.coerce.number().int().nonnegative(),
});
export type ReleaseId = Readonly<z.output<typeof ReleaseId>>;

export interface BuildRequest {
  readonly id: ReleaseId;
  /** Folder with a checkout of the commit, without .git. The build does not change it. */
  readonly sourceDir: string;
  readonly file: ServiceFile;
  readonly onLine: (line: LogLine) => void;
  /** Aborts the build; `build` settles when all processes of the build are gone. */
  readonly signal: AbortSignal;
}

export interface InstanceRequest {
  readonly id: ReleaseId;
  readonly artifact: BuildArtifact;
  readonly file: ServiceFile;
  /** Environment variables in plain text, including secrets: never put them into an argv, a label or a log. */
  readonly variables: Readonly<Record<string, string>>;
  /** Leased port of the server. A container engine may choose another. */
  readonly port: number;
}

export type InstanceState =
  | {
      readonly kind: 'running';
      readonly restarts: number;
      readonly memoryMb: number | null;
      /** Exit code of the last crash; present while a restart is pending, or after a restart. */
      readonly lastExit?: number;
    }
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly oom: boolean;
      readonly at: string | null;
      /**
       * Why no supervisor restarts the program although it neither ended normally nor crashed too often: the engine or the machine went
       * down. Null otherwise. Also set for an instance that was stopped deliberately.
       */
      readonly lost: string | null;
      readonly restarts: number;
    }
  | { readonly kind: 'gone' };

/** Maximum of consecutive restarts after crashes by a supervisor, which ends a crash loop even without a running job service. */
export const MAX_RESTARTS = 10;

/** An instance of a service on a server, running or not. */
export interface ServiceInstance {
  readonly id: ReleaseId;
  readonly instance: ProgramInstance;
  readonly state: InstanceState;
}

export interface LogQuery {
  readonly tail: number;
  readonly since?: Date;
  readonly until?: Date;
  readonly follow?: boolean;
  readonly signal: AbortSignal;
}

export interface ExecuteOptions {
  /** Aborts the program; `execute` then throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Maximum of stdout and stderr together; further output is dropped. */
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

/** A command that ran on after its connection was lost, and was then killed. */
export interface EndedCommand {
  readonly pid: number;
  readonly ranMs: number;
}

/**
 * Runs releases on a server. Every method is idempotent, has a deadline through its signal, and touches only labeled resources. A lost
 * connection throws TARGET_LOST (outcome unknown); an unreachable server throws TARGET_UNREACHABLE.
 */
export interface Driver {
  readonly name: DriverName;
  /** Describes the steps of a deployment in sentences, without changing anything. */
  plan(request: Pick<BuildRequest, 'id' | 'file'>): readonly string[];
  inspect(signal: AbortSignal): Promise<HostInventory>;
  /** Builds the artifact. Throws BUILD_FAILED with the exit code, or the signal's reason after an abort. */
  build(request: BuildRequest): Promise<BuildArtifact>;
  /** Kills remaining processes of an interrupted build; settles when none is left. */
  endBuild(id: ReleaseId, signal: AbortSignal): Promise<void>;
  /** Returns the processor time of a running build, in milliseconds; null when unknown. */
  buildCpuMs?(id: ReleaseId, signal: AbortSignal): Promise<number | null>;
  /** Starts the release, or returns the existing instance of that deployment. */
  start(request: InstanceRequest, signal: AbortSignal): Promise<ProgramInstance>;
  state(instance: ProgramInstance, signal: AbortSignal): Promise<InstanceState>;
  /** Returns the ports on which a program listens. Undefined for drivers whose programs have a network of their own. */
  listens?(instance: ProgramInstance): readonly number[];
  /** Stops the instance, by force after `graceMs`. The log stays readable. */
  stop(instance: ProgramInstance, graceMs: number, signal: AbortSignal): Promise<'graceful' | 'killed' | 'gone'>;
  /** Reads log lines, oldest first, without redaction. */
  logs(instance: ProgramInstance, query: LogQuery): AsyncIterable<LogLine>;
  find(service: ServiceKey, signal: AbortSignal): Promise<readonly ServiceInstance[]>;
  /** True when the artifact exists and can be started. */
  has(artifact: BuildArtifact, signal: AbortSignal): Promise<boolean>;
  /** Removes an artifact and its stopped instances. Idempotent. */
  discard(artifact: BuildArtifact, signal: AbortSignal): Promise<void>;
  /** Returns the local folder of the artifact; null when it is gone. Undefined for drivers without local folders. */
  releaseFolder?(artifact: BuildArtifact): string | null;
  /** Runs a diagnostic program on the server without a shell. */
  execute(argv: readonly string[], options: ExecuteOptions): Promise<CommandResult>;
  /** Kills programs of `execute` whose connection was lost. Undefined for drivers without connections. */
  endLost?(signal: AbortSignal): Promise<readonly EndedCommand[]>;
  close(): Promise<void>;
}
