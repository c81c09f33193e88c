import { z } from 'zod';
import { ErrorCause } from './error-cause.ts';
import {
  DeployFailure,
  CommitSummary,
  DeployPlan,
  DeployState,
  HostInventory,
  LogLine,
  PlanNote,
  ReadinessCheck,
  ServiceKey,
} from './deploy.ts';

const Id = z.string().min(1).max(160);
const Text = z.string().max(2_000);

/** Payload of a deployment. The row of `deployments` has the details; `project` and `environment` make runs searchable. */
export const DeployPayload = ServiceKey.extend({ deploymentId: Id });
export const DeployResult = z.object({
  deploymentId: Id,
  project: z.string(),
  environment: z.string(),
  kind: z.enum(['deploy', 'rollback']),
  state: DeployState,
  release: z.string().nullable(),
  /** The release that serves now, which may be the release of another deployment. */
  serving: z.string().nullable(),
  /** The release that served previously, to which a rollback returns. */
  replaced: z.string().nullable(),
  url: z.string().nullable(),
  seconds: z.number().nonnegative(),
  failure: DeployFailure.nullable(),
});
export type DeployResult = z.infer<typeof DeployResult>;

export const ReadinessPayload = ServiceKey.extend({
  ref: z.string().min(1).max(200),
  server: z.string().max(80).nullable(),
  /** True to resolve only the plan; the job then measures nothing and opens no secret. */
  planOnly: z.boolean().default(false),
  /** For a rollback: the deployment whose artifact would be started again. */
  fromArtifact: Id.nullable().default(null),
});
export const ReadinessResult = z.object({
  ready: z.boolean(),
  server: z.string().nullable(),
  /** Id of the commit to which the ref resolves. */
  commit: z.string().nullable(),
  checks: z.array(ReadinessCheck),
  /** The plan; null when it was not requested or cannot be resolved. */
  plan: DeployPlan.nullable().default(null),
  /** Subject and author of the commit; null when the commit was not read. */
  head: CommitSummary.nullable().default(null),
  /** True when no file of the repository says how it starts, so that it was worked out, and the project has never served with this guess. */
  isUnseen: z.boolean().default(false),
  /** Reason why there is no plan. */
  problem: Text.nullable().default(null),
  cause: ErrorCause,
});
export type ReadinessResult = z.infer<typeof ReadinessResult>;

export const ServerInspectPayload = z.object({ server: z.string().min(1).max(80) });
export const ServerInspectResult = z.object({
  server: z.string(),
  reached: z.boolean(),
  inventory: HostInventory.nullable(),
  /** ssh: the host key fingerprint of the server, `SHA256:…`, and whether it is approved. */
  hostKey: z.string().nullable(),
  hostKeyTrusted: z.boolean().nullable(),
  detail: Text,
});
export type ServerInspectResult = z.infer<typeof ServerInspectResult>;

export const RepositorySummaryPayload = z.object({ project: z.string().min(1).max(80) });
export const RepositorySummaryResult = z.object({
  project: z.string(),
  /** Reason why the repository cannot be read; null when it can be read. */
  problem: Text.nullable(),
  /** Name and commit of the main branch; null when unknown. */
  branch: z.string().nullable(),
  main: z.string().nullable(),
  tags: z.array(z.string()),
  /** Build and start commands of the main branch, as people write them; `start` is null with a Dockerfile. Null when unknown. */
  plan: z
    .object({ build: z.array(Text), start: Text.nullable(), notes: z.array(PlanNote).max(20).readonly().optional() })
    .nullable()
    .default(null),
  /** Reason why there is no plan. */
  planProblem: Text.nullable().default(null),
});
export type RepositorySummaryResult = z.infer<typeof RepositorySummaryResult>;

export const ServiceLogsPayload = ServiceKey.extend({
  /** The deployment whose log is read: the serving one, the previous one, or the one with this id. */
  of: z.union([z.literal('serving'), z.literal('previous'), Id]),
  tail: z.number().int().min(1).max(1_000),
  sinceMinutes: z
    .number()
    .int()
    .min(1)
    .max(7 * 24 * 60)
    .nullable(),
  /** Only log lines older than this number of minutes; null for no bound. */
  untilMinutes: z
    .number()
    .int()
    .min(0)
    .max(7 * 24 * 60)
    .nullable()
    .default(null),
  /** Only log lines that contain this text, in upper or lower case. */
  match: z.string().max(200).nullable(),
  /** Number of seconds for which new log lines are streamed to the requesting chat. */
  followSeconds: z.number().int().min(0).max(300).default(0),
});
export const ServiceLogsResult = z.object({
  release: z.string().nullable(),
  deploymentId: Id.nullable(),
  lines: z.array(LogLine),
  truncated: z.boolean(),
  /** Lines of Signalbox's own health checks that succeeded, which were left out. */
  probes: z.number().int().nonnegative().default(0),
  /** True when the log lines and their end were already streamed to the chat. */
  followed: z.boolean().default(false),
});
export type ServiceLogsResult = z.infer<typeof ServiceLogsResult>;

export const ServiceHealthPayload = ServiceKey;
/** Measurements of a service; a measurement that failed is null. */
export const ServiceHealthResult = ServiceKey.extend({
  verdict: z.enum(['healthy', 'degraded', 'down', 'nothing-deployed']),
  /** One sentence with the reason for the verdict. */
  because: Text,
  release: z.string().nullable(),
  reportedRelease: z.string().nullable(),
  /** Responses of the service through the proxy, and of the instance directly. */
  proxy: z
    .object({ status: z.number().int().nullable(), latencyMs: z.number().nullable(), error: Text.nullable() })
    .nullable(),
  instance: z
    .object({ status: z.number().int().nullable(), latencyMs: z.number().nullable(), error: Text.nullable() })
    .nullable(),
  process: z
    .object({
      running: z.boolean(),
      restarts: z.number().int().nullable(),
      exitCode: z.number().int().nullable(),
      oom: z.boolean(),
      memoryMb: z.number().nullable(),
    })
    .nullable(),
  diskFreeMb: z.number().nullable(),
  /** Median latency of recent probes in milliseconds, for comparison. */
  usualLatencyMs: z.number().nullable(),
  /** What the check could not judge, in one sentence; null when it could judge everything. */
  lacks: Text.nullable().default(null),
  errorsLastHour: z.number().int(),
});
export type ServiceHealthResult = z.infer<typeof ServiceHealthResult>;

/** A group of similar errors, with the number of errors in the log lines that were read. */
const ErrorSummary = z.object({ sample: Text, count: z.number().int().nonnegative() });

export const ServiceRequestPayload = ServiceKey.extend({ path: z.string().startsWith('/').max(500) });
/** How a service answered one GET request through the proxy; redirects were not followed. */
export const ServiceRequestResult = ServiceKey.extend({
  release: z.string().nullable(),
  /** Null when nothing answered; `problem` says why. */
  status: z.number().int().nullable(),
  ms: z.number().nonnegative(),
  contentType: Text.nullable(),
  /** Target of a redirect. */
  location: Text.nullable(),
  /** Size of the body, or a lower bound when `isCut`. */
  sizeBytes: z.number().int().nonnegative(),
  isCut: z.boolean(),
  /** Beginning of the body, redacted; null when the body is no text. */
  text: Text.nullable(),
  problem: Text.nullable(),
});

export const ServiceDiagnosisPayload = ServiceKey;
/** Facts for diagnosing a service about which a person complains. */
export const ServiceDiagnosisResult = ServiceKey.extend({
  health: ServiceHealthResult,
  /** The previous deployment, with its usual latency. */
  previous: z
    .object({ deploymentId: Id, release: z.string().nullable(), usualLatencyMs: z.number().nullable() })
    .nullable(),
  servingForSeconds: z.number().nonnegative().nullable(),
  /** Errors in the newest log lines of the serving deployment. */
  errors: z.array(ErrorSummary).max(10),
  /** The newest error lines or, when the service has ended, the newest lines of any kind. */
  lines: z.array(LogLine).max(40),
  /** The proposed next step, with a reason other than the verdict. */
  proposal: z.object({
    action: z.enum(['none', 'rollback', 'look-at-logs', 'wait', 'deploy']),
    because: Text.nullable(),
  }),
});
export type ServiceDiagnosisResult = z.infer<typeof ServiceDiagnosisResult>;

export const ServiceStopPayload = ServiceKey;
/** The deployment that was stopped. */
export const ServiceStopResult = ServiceKey.extend({
  deploymentId: Id,
  release: z.string().nullable(),
  /** The ref with which it can be deployed again. */
  ref: z.string(),
  server: z.string(),
  /** How the program ended; `gone` means that it had already ended before. */
  how: z.enum(['graceful', 'killed', 'gone']),
  /** Number of requests that were cut off when the drain time was over. */
  cut: z.number().int().nonnegative(),
});
export type ServiceStopResult = z.infer<typeof ServiceStopResult>;

export const ServicesWatchResult = z.object({
  looked: z.number().int(),
  opened: z.number().int(),
  closed: z.number().int(),
  errors: z.number().int(),
});

/** A service that should serve but whose program has ended; the job starts it again from its artifact. */
export const ServiceRevivePayload = ServiceKey.extend({
  deploymentId: Id,
  /** Cause of the end as part of a sentence: `its machine was started anew`. */
  because: Text,
});
export const ServiceReviveResult = ServiceKey.extend({
  deploymentId: Id,
  release: z.string().nullable(),
  because: Text,
  /** `unneeded`: another deployment serves or is in progress, or the service was stopped. */
  outcome: z.enum(['revived', 'given-up', 'unneeded']),
  url: z.string().nullable(),
  tries: z.number().int().nonnegative(),
  seconds: z.number().nonnegative(),
  /** Why the service could not be started again, with its last log lines, redacted. */
  failure: z.object({ sentence: z.string().max(1_000), lines: z.array(z.string().max(2_000)).max(40) }).nullable(),
});
export type ServiceReviveResult = z.infer<typeof ServiceReviveResult>;

export const ServerCommandPayload = z.object({
  server: z.string().min(1).max(80),
  command: z.string().min(1).max(4_000),
  /** True when the command was classified as read-only: it may run without approval, but never in a shell. */
  onlyReads: z.boolean().default(false),
  /** The service whose release the command may inspect; missing when there is none. */
  service: ServiceKey.optional(),
  actionId: Id,
});
export const ServerCommandResult = z.object({
  server: z.string(),
  code: z.number().int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  seconds: z.number().nonnegative(),
});
export type ServerCommandResult = z.infer<typeof ServerCommandResult>;
