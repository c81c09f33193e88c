import { z } from 'zod';
import {
  DeployFailure,
  CommitSummary,
  DeployPlan,
  DeployState,
  ServerInventory,
  LogLine,
  ReadinessCheck,
  ServiceKey,
} from './deploy.ts';

const Id = z.string().min(1).max(160);
const Text = z.string().max(2_000);

/** The row of `deployments` has all details. `project` and `environment` make runs searchable. */
export const DeployPayload = ServiceKey.extend({ deploymentId: Id });
export const DeployResult = z.object({
  deploymentId: Id,
  project: z.string(),
  environment: z.string(),
  kind: z.enum(['deploy', 'rollback']),
  state: DeployState,
  release: z.string().nullable(),
  /** The release that serves now, which may be another release. */
  serving: z.string().nullable(),
  /** The release that served before, the target of a rollback. */
  replaced: z.string().nullable(),
  url: z.string().nullable(),
  seconds: z.number().nonnegative(),
  failure: DeployFailure.nullable(),
});
export type DeployResult = z.infer<typeof DeployResult>;

export const ReadinessPayload = ServiceKey.extend({
  ref: z.string().min(1).max(200),
  server: z.string().max(80).nullable(),
  /** True to resolve only the plan: the job measures nothing and opens no secret. */
  planOnly: z.boolean().default(false),
  /** For a rollback: the deployment whose artifact would be started again. */
  fromArtifact: Id.nullable().default(null),
});
export const ReadinessResult = z.object({
  ready: z.boolean(),
  server: z.string().nullable(),
  /** The commit that the ref resolves to. */
  commit: z.string().nullable(),
  checks: z.array(ReadinessCheck),
  /** The plan; null when not requested, or not resolvable. */
  plan: DeployPlan.nullable().default(null),
  /** Subject and author of the commit; null when not read. */
  head: CommitSummary.nullable().default(null),
  /** True when build and start were guessed from the repository and this guess has never served for the project. */
  isUnseen: z.boolean().default(false),
  /** Why there is no plan. */
  problem: Text.nullable().default(null),
});
export type ReadinessResult = z.infer<typeof ReadinessResult>;

export const ServerInspectPayload = z.object({ server: z.string().min(1).max(80) });
export const ServerInspectResult = z.object({
  server: z.string(),
  reached: z.boolean(),
  inventory: ServerInventory.nullable(),
  /** ssh: the fingerprint that the server showed, `SHA256:…`, and whether it is approved. */
  hostKey: z.string().nullable(),
  hostKeyTrusted: z.boolean().nullable(),
  detail: Text,
});
export type ServerInspectResult = z.infer<typeof ServerInspectResult>;

export const RepositorySummaryPayload = z.object({ project: z.string().min(1).max(80) });
export const RepositorySummaryResult = z.object({
  project: z.string(),
  /** Why the repository cannot be read; null when it can be read. */
  problem: Text.nullable(),
  /** Name and commit of the main branch; null when unknown. */
  branch: z.string().nullable(),
  main: z.string().nullable(),
  tags: z.array(z.string()),
  /** Build and start commands of the main branch, as people write them; `start` is null when a Dockerfile defines it. Null when unknown. */
  plan: z
    .object({ build: z.array(Text), start: Text.nullable() })
    .nullable()
    .default(null),
  /** Why there is no plan. */
  planProblem: Text.nullable().default(null),
});
export type RepositorySummaryResult = z.infer<typeof RepositorySummaryResult>;

export const ServiceLogsPayload = ServiceKey.extend({
  /** The log to read: of the serving deployment, the previous one, or the deployment with this id. */
  of: z.union([z.literal('serving'), z.literal('previous'), Id]),
  tail: z.number().int().min(1).max(1_000),
  sinceMinutes: z
    .number()
    .int()
    .min(1)
    .max(7 * 24 * 60)
    .nullable(),
  /** Only lines older than this; null for no bound. */
  untilMinutes: z
    .number()
    .int()
    .min(0)
    .max(7 * 24 * 60)
    .nullable()
    .default(null),
  /** Only lines that contain this text, case-insensitively. */
  match: z.string().max(200).nullable(),
  /** Seconds for which new lines are streamed to the requesting chat. */
  followSeconds: z.number().int().min(0).max(300).default(0),
});
export const ServiceLogsResult = z.object({
  release: z.string().nullable(),
  deploymentId: Id.nullable(),
  lines: z.array(LogLine),
  truncated: z.boolean(),
  /** True when the lines and their end were already streamed to the chat. */
  followed: z.boolean().default(false),
});
export type ServiceLogsResult = z.infer<typeof ServiceLogsResult>;

export const ServiceHealthPayload = ServiceKey;
/** Measurements of a service; null for those that failed. */
export const ServiceHealthResult = ServiceKey.extend({
  verdict: z.enum(['healthy', 'degraded', 'down', 'nothing-deployed']),
  /** One sentence with the reason for the verdict. */
  because: Text,
  release: z.string().nullable(),
  reportedRelease: z.string().nullable(),
  /** Responses through the proxy and from the instance directly. */
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
  errorsLastHour: z.number().int(),
});
export type ServiceHealthResult = z.infer<typeof ServiceHealthResult>;

/** A group of similar errors and their count in the examined lines. */
const ErrorSummary = z.object({ sample: Text, count: z.number().int().nonnegative() });

export const ServiceDiagnosisPayload = ServiceKey;
/** Facts about a service that a person complains about. */
export const ServiceDiagnosisResult = ServiceKey.extend({
  health: ServiceHealthResult,
  /** The previous deployment and its usual latency. */
  previous: z
    .object({ deploymentId: Id, release: z.string().nullable(), usualLatencyMs: z.number().nullable() })
    .nullable(),
  servingForSeconds: z.number().nonnegative().nullable(),
  /** Errors in the newest log lines of the serving deployment. */
  errors: z.array(ErrorSummary).max(10),
  /** The newest error lines, or the newest lines of any kind when the service has ended. */
  lines: z.array(LogLine).max(40),
  /** The proposed next step and its reason besides the verdict. */
  proposal: z.object({
    action: z.enum(['none', 'rollback', 'look-at-logs', 'wait', 'deploy']),
    because: Text.nullable(),
  }),
});
export type ServiceDiagnosisResult = z.infer<typeof ServiceDiagnosisResult>;

export const ServiceStopPayload = ServiceKey;
/** The stopped deployment. */
export const ServiceStopResult = ServiceKey.extend({
  deploymentId: Id,
  release: z.string().nullable(),
  /** The ref that deploys it again. */
  ref: z.string(),
  server: z.string(),
  /** How the program ended; `gone`: it had already ended. */
  how: z.enum(['graceful', 'killed', 'gone']),
  /** Number of requests cut off at the drain deadline. */
  cut: z.number().int().nonnegative(),
});
export type ServiceStopResult = z.infer<typeof ServiceStopResult>;

export const ServicesWatchResult = z.object({
  looked: z.number().int(),
  opened: z.number().int(),
  closed: z.number().int(),
  errors: z.number().int(),
});

/** A service that should serve but whose program has ended: it is started again from its artifact. */
export const ServiceRevivePayload = ServiceKey.extend({
  deploymentId: Id,
  /** The cause as part of a sentence: `its machine was started anew`. */
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
  /** Why the revival failed, and its last log lines, redacted. */
  failure: z.object({ sentence: z.string().max(1_000), lines: z.array(z.string().max(2_000)).max(40) }).nullable(),
});
export type ServiceReviveResult = z.infer<typeof ServiceReviveResult>;

export const ServerCommandPayload = z.object({
  server: z.string().min(1).max(80),
  command: z.string().min(1).max(4_000),
  /** True when the command was classified as read-only: it may then run without approval, but never in a shell. */
  onlyReads: z.boolean().default(false),
  /** The service whose release the command may inspect; missing for none. */
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
