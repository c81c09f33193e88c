import { DriverName } from './drivers.ts';
import { z } from 'zod';

/** Where a deployment is. See DEPLOY_TRANSITIONS for what may follow what. */
export const DeployState = z.enum([
  'queued',
  'preparing',
  'building',
  'starting',
  'health_checking',
  'switching',
  'verifying',
  'draining',
  'succeeded',
  'failing',
  'failed',
  'rolled_back',
  'cancelling',
  'cancelled',
  'unknown',
]);
export type DeployState = z.infer<typeof DeployState>;

/**
 * The states that a deployment goes through, and the only ones that may follow each. `unknown`: its job is gone, or
 * its link is; what the target says decides where it goes on. Failed: what served before never stopped serving. Rolled back: the
 * switch had been made and was taken back.
 */
export const DEPLOY_TRANSITIONS: Readonly<Record<DeployState, readonly DeployState[]>> = {
  queued: ['preparing', 'cancelled', 'failing', 'unknown'],
  preparing: ['building', 'starting', 'cancelling', 'failing', 'unknown'],
  building: ['starting', 'cancelling', 'failing', 'unknown'],
  starting: ['health_checking', 'cancelling', 'failing', 'unknown'],
  // Back to its start: a stranger has taken the port of the instance.
  health_checking: ['starting', 'switching', 'cancelling', 'failing', 'unknown'],
  switching: ['verifying', 'failing', 'unknown'],
  verifying: ['draining', 'failing', 'unknown'],
  draining: ['succeeded', 'unknown'],
  cancelling: ['cancelled', 'unknown'],
  failing: ['failed', 'rolled_back', 'unknown'],
  unknown: [
    'preparing',
    'building',
    'starting',
    'health_checking',
    'switching',
    'verifying',
    'draining',
    'cancelling',
    'failing',
  ],
  succeeded: [],
  failed: [],
  rolled_back: [],
  cancelled: [],
};

/** Whether nothing follows a state. */
export function isFinal(state: DeployState): boolean {
  return DEPLOY_TRANSITIONS[state].length === 0;
}

/** Whether a deployment in this state can still be cancelled; from `switching` on it can only be rolled back. */
export function isCancellable(state: DeployState): boolean {
  return state === 'queued' || DEPLOY_TRANSITIONS[state].includes('cancelling');
}

/** What a driver needs to reach a server; secrets are handles of the person who gave them. */
export const Connection = z.object({
  /** docker: path of the engine's socket on this machine; ssh: on the server. */
  socket: z.string().max(200).optional(),
  /** ssh: its port, 22 when left out, and the login. */
  port: z.number().int().min(1).max(65_535).optional(),
  user: z.string().max(64).optional(),
  /** ssh: the handle under which the private key is sealed, and the user key of the person whose secret it is. */
  key: z.object({ handle: z.string().max(80), owner: z.string().max(80) }).optional(),
});
export type Connection = z.infer<typeof Connection>;

/** What a server was measured to have, and what of it is free. */
export const Inventory = z.object({
  cpus: z.number().int().positive(),
  memoryMb: z.number().int().positive(),
  memoryFreeMb: z.number().int().nonnegative(),
  diskMb: z.number().int().nonnegative(),
  diskFreeMb: z.number().int().nonnegative(),
  /** Such as `process on Linux 6.1` and `Docker 20.10.24`. */
  engine: z.string().max(120),
});
export type Inventory = z.infer<typeof Inventory>;

/**
 * What a deployment runs; a file `signalbox.json` at the root of the repository says it. Commands are argv, never a shell's line.
 * The program listens on $PORT of $HOST and reports $SIGNALBOX_RELEASE: see `release`.
 */
export const ServiceFile = z
  .object({
    /** Commands that build it, in order, in the checkout. Without any, and without a Dockerfile, there is nothing to build. */
    build: z
      .array(z.array(z.string().min(1).max(1_000)).min(1).max(50))
      .max(20)
      .default([]),
    /** The command that starts it. Not needed with a Dockerfile on an engine. */
    start: z.array(z.string().min(1).max(1_000)).min(1).max(50).optional(),
    health: z
      .object({
        /** Answers 200 when it can serve. */
        path: z.string().startsWith('/').max(200).default('/'),
        withinSeconds: z.number().int().min(1).max(600).default(30),
      })
      .prefault({}),
    /**
     * How the serving instance says which release it is: a response header of the health path, a field of its JSON answer, or not
     * at all. Left out, it is compared with the header `x-release` of an answer that has one. Where an answer says nothing, a deployment
     * verifies by the identity of the instance behind the proxy alone, and its evidence says so.
     */
    release: z
      .discriminatedUnion('from', [
        z.object({ from: z.literal('header'), name: z.string().max(100).default('x-release') }),
        z.object({ from: z.literal('json'), field: z.string().max(100).default('release') }),
        z.object({ from: z.literal('instance') }),
      ])
      .optional(),
    /** Names of variables that must be set before it may start. */
    requires: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/))
      .max(100)
      .default([]),
    memoryMb: z.number().int().min(16).max(1_000_000).default(256),
    cpus: z.number().min(0.05).max(256).default(1),
    /** How long a request may still take after the switch, and a stopping instance, in seconds. */
    drainSeconds: z.number().int().min(0).max(300).default(10),
    /** The port inside a container; on a process target $PORT says it. */
    port: z.number().int().min(1).max(65_535).default(3000),
  })
  .strict();
export type ServiceFile = z.infer<typeof ServiceFile>;

/**
 * All that decides what a deployment will run, as it was looked up before anybody was asked: what is approved, and what the job
 * compares before it builds and before it starts. Without secrets: what looks like one is marked on both sides of a comparison.
 */
export const DeployPlan = z.object({
  repository: z.string().max(400).nullable(),
  ref: z.string().max(200),
  /** Whole: a commit that has the same id has the same files. */
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  server: z.object({
    name: z.string().max(80),
    driver: DriverName,
    host: z.string().max(253),
    hostKey: z.string().max(200).nullable(),
    /** SHA-256 of how it is logged in to. */
    login: z.string().max(64),
  }),
  /** A rollback: the deployment whose artifact is started again. */
  artifact: z.string().max(160).nullable(),
  build: ServiceFile.shape.build,
  /** Null: its Dockerfile says it. */
  start: z.array(z.string()).nullable(),
  health: z.string().max(200),
  /** SHA-256 of the whole signalbox.json as it was read, and of the Dockerfile; null for one that is not read. */
  file: z.string().length(64),
  dockerfile: z.string().length(64).nullable(),
  /** Their names, each with a mark that changes when it is set anew; never a value. */
  variables: z.array(z.object({ name: z.string(), mark: z.string().max(64) })).readonly(),
});
export type DeployPlan = z.infer<typeof DeployPlan>;

/** What its author says of a commit, and who that is: text of outside, without what is not drawn, clipped. */
export const CommitHead = z.object({ subject: z.string().max(200), author: z.string().max(100) });
export type CommitHead = z.infer<typeof CommitHead>;

/** One thing that has to be so before a deployment may begin: measured, with what was measured. */
export const ReadinessCheck = z.object({
  /** Such as `target`, `disk`, `ref`, `variables`, `lock`. */
  name: z.string().max(40),
  ok: z.boolean(),
  /** What was found: "4.1 GB of 20 GB free". */
  evidence: z.string().max(500),
  /** What to do when it is not. */
  remedy: z.string().max(300).nullable(),
});
export type ReadinessCheck = z.infer<typeof ReadinessCheck>;

/** One line of a log, redacted. */
export const LogLine = z.object({ at: z.string().nullable(), stream: z.enum(['out', 'err']), line: z.string() });
export type LogLine = z.infer<typeof LogLine>;

/** Why a deployment came to nothing. */
export const DeployFailure = z.object({
  state: DeployState,
  code: z.string().max(60),
  sentence: z.string().max(1_000),
  /** The last lines that were written, redacted. */
  lines: z.array(z.string().max(2_000)).max(40),
});
export type DeployFailure = z.infer<typeof DeployFailure>;

/** A service: a project in an environment. */
export const ServiceKey = z.object({
  project: z.string().min(1).max(80),
  environment: z.enum(['staging', 'production', 'local']),
});
export type ServiceKey = z.infer<typeof ServiceKey>;

/** `shop/staging`: its name at the proxy, in locks and in texts. */
export function serviceName(service: ServiceKey): string {
  return `${service.project}/${service.environment}`;
}
