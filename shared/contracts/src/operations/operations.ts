import { z } from 'zod';
import {
  DeployFailure,
  CommitHead,
  DeployPlan,
  DeployState,
  Inventory,
  LogLine,
  ReadinessCheck,
  ServiceKey,
} from './deploy.ts';

// What jobs of the pool `deploy` are told and what they give back.

const Id = z.string().min(1).max(160);
const Text = z.string().max(2_000);

/** The row of that id in `deployments` says everything else. `project` and `environment` make runs searchable. */
export const DeployPayload = ServiceKey.extend({ deploymentId: Id });
export const DeployResult = z.object({
  deploymentId: Id,
  project: z.string(),
  environment: z.string(),
  kind: z.enum(['deploy', 'rollback']),
  state: DeployState,
  release: z.string().nullable(),
  /** The release that serves now, whatever became of this one. */
  serving: z.string().nullable(),
  /** The release that served before it, to which a rollback leads. */
  replaced: z.string().nullable(),
  url: z.string().nullable(),
  seconds: z.number().nonnegative(),
  failure: DeployFailure.nullable(),
});
export type DeployResult = z.infer<typeof DeployResult>;

export const ReadinessPayload = ServiceKey.extend({
  ref: z.string().min(1).max(200),
  server: z.string().max(80).nullable(),
  /** Only looks up what would be deployed: nothing is measured, and no secret is opened. */
  planOnly: z.boolean().default(false),
  /** A rollback: the deployment whose artifact would be started again. */
  fromArtifact: Id.nullable().default(null),
});
export const ReadinessResult = z.object({
  ready: z.boolean(),
  server: z.string().nullable(),
  /** The commit that the ref is now. */
  commit: z.string().nullable(),
  checks: z.array(ReadinessCheck),
  /** What would be deployed; null when it was not asked for, or could not be looked up. */
  plan: DeployPlan.nullable().default(null),
  /** Of its commit; null where that was not read. */
  head: CommitHead.nullable().default(null),
  /** The repository does not say itself how it is built and started, and nothing that was recognized like this has served for the project. */
  isUnseen: z.boolean().default(false),
  /** Why there is no plan. */
  problem: Text.nullable().default(null),
});
export type ReadinessResult = z.infer<typeof ReadinessResult>;

export const InspectPayload = z.object({ server: z.string().min(1).max(80) });
export const InspectResult = z.object({
  server: z.string(),
  reached: z.boolean(),
  inventory: Inventory.nullable(),
  /** ssh: fingerprint that answered, `SHA256:…`, and whether it is the approved one. */
  hostKey: z.string().nullable(),
  hostKeyTrusted: z.boolean().nullable(),
  detail: Text,
});
export type InspectResult = z.infer<typeof InspectResult>;

export const RepositoryLookPayload = z.object({ project: z.string().min(1).max(80) });
export const RepositoryLookResult = z.object({
  project: z.string(),
  /** Why it cannot be read; null when it can. */
  problem: Text.nullable(),
  /** Its main branch, as far as that has a name, and its commit; null without one. */
  branch: z.string().nullable(),
  main: z.string().nullable(),
  /** Its newest tags. */
  tags: z.array(z.string()),
  /** How its main branch is built and started: commands as people write them; no `start`: its Dockerfile says it. Null: not known. */
  plan: z
    .object({ build: z.array(Text), start: Text.nullable() })
    .nullable()
    .default(null),
  /** Why there is no plan. */
  planProblem: Text.nullable().default(null),
});
export type RepositoryLookResult = z.infer<typeof RepositoryLookResult>;

export const ServiceLogsPayload = ServiceKey.extend({
  /** Whose log: what serves, the deployment before it, or the one of this id. */
  of: z.union([z.literal('serving'), z.literal('previous'), Id]),
  tail: z.number().int().min(1).max(1_000),
  sinceMinutes: z
    .number()
    .int()
    .min(1)
    .max(7 * 24 * 60)
    .nullable(),
  /** Lines that are older than this only; null: up to now. */
  untilMinutes: z
    .number()
    .int()
    .min(0)
    .max(7 * 24 * 60)
    .nullable()
    .default(null),
  /** Only lines that contain this, in any case. */
  match: z.string().max(200).nullable(),
  /** Goes on with new lines for so long, in the chat of the request. */
  followSeconds: z.number().int().min(0).max(300).default(0),
});
export const ServiceLogsResult = z.object({
  release: z.string().nullable(),
  deploymentId: Id.nullable(),
  lines: z.array(LogLine),
  truncated: z.boolean(),
  /** Its lines were shown as they came, and that it ended was said there. */
  followed: z.boolean().default(false),
});
export type ServiceLogsResult = z.infer<typeof ServiceLogsResult>;

export const ServiceHealthPayload = ServiceKey;
/** What was measured; null is what could not be. */
export const ServiceHealthResult = ServiceKey.extend({
  verdict: z.enum(['healthy', 'degraded', 'down', 'nothing-deployed']),
  /** One sentence: why that verdict. */
  because: Text,
  release: z.string().nullable(),
  reportedRelease: z.string().nullable(),
  /** Through the proxy, and at the instance itself. */
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
  /** Median of the last looks, in milliseconds, to compare with. */
  usualLatencyMs: z.number().nullable(),
  errorsLastHour: z.number().int(),
});
export type ServiceHealthResult = z.infer<typeof ServiceHealthResult>;

/** Errors that are alike, with how many there were in the lines that were looked at. */
const ErrorSummary = z.object({ sample: Text, count: z.number().int().nonnegative() });

export const ServiceDiagnosisPayload = ServiceKey;
/** What is known of a service that a person complains about, gathered at once. */
export const ServiceDiagnosisResult = ServiceKey.extend({
  health: ServiceHealthResult,
  /** What served before, and how quickly it usually answered. */
  previous: z
    .object({ deploymentId: Id, release: z.string().nullable(), usualLatencyMs: z.number().nullable() })
    .nullable(),
  /** How long what serves has been serving, in seconds. */
  servingForSeconds: z.number().nonnegative().nullable(),
  /** Of the newest lines of what serves. */
  errors: z.array(ErrorSummary).max(10),
  /** The newest lines of it that are errors, or the newest of all when it has ended. */
  lines: z.array(LogLine).max(40),
  /** What to do next, and what speaks for it besides the verdict; null when that says it all. */
  proposal: z.object({
    action: z.enum(['none', 'rollback', 'look-at-logs', 'wait', 'deploy']),
    because: Text.nullable(),
  }),
});
export type ServiceDiagnosisResult = z.infer<typeof ServiceDiagnosisResult>;

export const ServiceStopPayload = ServiceKey;
/** What a stop has ended. */
export const ServiceStopResult = ServiceKey.extend({
  deploymentId: Id,
  release: z.string().nullable(),
  /** By which it is deployed again. */
  ref: z.string(),
  server: z.string(),
  /** How its program ended; gone: it had ended before. */
  how: z.enum(['graceful', 'killed', 'gone']),
  /** Requests that took longer than they may. */
  cut: z.number().int().nonnegative(),
});
export type ServiceStopResult = z.infer<typeof ServiceStopResult>;

export const ServicesWatchResult = z.object({
  looked: z.number().int(),
  opened: z.number().int(),
  closed: z.number().int(),
  errors: z.number().int(),
});

/** A service whose program is gone, although it should serve: it is started again from what was built. */
export const ServiceRevivePayload = ServiceKey.extend({
  deploymentId: Id,
  /** What was found, as a part of a sentence: `its machine was started anew`. */
  because: Text,
});
export const ServiceReviveResult = ServiceKey.extend({
  deploymentId: Id,
  release: z.string().nullable(),
  because: Text,
  /** Unneeded: something else serves there by now, or nothing is to, or a deployment goes on. */
  outcome: z.enum(['revived', 'given-up', 'unneeded']),
  url: z.string().nullable(),
  tries: z.number().int().nonnegative(),
  seconds: z.number().nonnegative(),
  /** Why it does not come back, and what its program said last, redacted. */
  failure: z.object({ sentence: z.string().max(1_000), lines: z.array(z.string().max(2_000)).max(40) }).nullable(),
});
export type ServiceReviveResult = z.infer<typeof ServiceReviveResult>;

export const DiagnosticPayload = z.object({
  server: z.string().min(1).max(80),
  command: z.string().min(1).max(4_000),
  /** Whether it was taken for one that only reads, so that perhaps no approval was needed: then it never gets a shell. */
  onlyReads: z.boolean().default(false),
  /** The service into whose release it looks, and nowhere else; into none when left out. */
  service: ServiceKey.optional(),
  actionId: Id,
});
export const DiagnosticResult = z.object({
  server: z.string(),
  code: z.number().int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  seconds: z.number().nonnegative(),
});
export type DiagnosticResult = z.infer<typeof DiagnosticResult>;
