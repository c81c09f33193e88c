import { DriverName } from './drivers.ts';
import { z } from 'zod';

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
 * Allowed transitions of a deployment. `unknown`: its job or the link to its server was lost, and the server's state decides how to
 * continue. `failed`: the previous release never stopped serving. `rolled_back`: traffic was switched and switched back.
 */
export const DEPLOY_TRANSITIONS: Readonly<Record<DeployState, readonly DeployState[]>> = {
  queued: ['preparing', 'cancelled', 'failing', 'unknown'],
  preparing: ['building', 'starting', 'cancelling', 'failing', 'unknown'],
  building: ['starting', 'cancelling', 'failing', 'unknown'],
  starting: ['health_checking', 'cancelling', 'failing', 'unknown'],
  // Starts again when another program has taken the instance's port.
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

export function isFinalState(state: DeployState): boolean {
  return DEPLOY_TRANSITIONS[state].length === 0;
}

/** True when a deployment in this state can be canceled; from `switching` on, it can only be rolled back. */
export function isCancellable(state: DeployState): boolean {
  return state === 'queued' || DEPLOY_TRANSITIONS[state].includes('cancelling');
}

/** Connection data of a server. Secrets are given as handles of the person who stored them. */
export const ServerConnection = z.object({
  /** docker: path of the engine's socket on this machine. ssh: path of the socket on the server. */
  socket: z.string().max(200).optional(),
  /** ssh: port (default 22) and user name. */
  port: z.number().int().min(1).max(65_535).optional(),
  user: z.string().max(64).optional(),
  /** ssh: handle of the private key, and user key of the key's owner. */
  key: z.object({ handle: z.string().max(80), owner: z.string().max(80) }).optional(),
});
export type ServerConnection = z.infer<typeof ServerConnection>;

/** Measured capacity of a server. */
export const HostInventory = z.object({
  cpus: z.number().int().positive(),
  memoryMb: z.number().int().positive(),
  memoryFreeMb: z.number().int().nonnegative(),
  diskMb: z.number().int().nonnegative(),
  diskFreeMb: z.number().int().nonnegative(),
  /** Engine of the server, such as `process on Linux 6.1` or `Docker 20.10.24`. */
  engine: z.string().max(120),
});
export type HostInventory = z.infer<typeof HostInventory>;

/** Answers from 400 on mean trouble everywhere else. */
const HealthStatus = z.number().int().min(200).max(399);
const HeaderName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,59}$/);
const HeaderValue = z
  .string()
  .max(300)
  .regex(/^[\x20-\x7e]*$/);

/** How a project is built, started and checked, as people said in the chat. Each field goes before that of `signalbox.json`. */
export const RunSettings = z.object({
  /** Lines for a shell. */
  build: z.string().max(1_000).optional(),
  start: z.string().max(1_000).optional(),
  healthPath: z.string().startsWith('/').max(200).optional(),
  healthStatus: HealthStatus.optional(),
  healthHeaders: z.record(HeaderName, HeaderValue).optional(),
});
export type RunSettings = z.infer<typeof RunSettings>;

/**
 * The service definition, from `signalbox.json` at the root of the repository. Commands are argv arrays, not shell lines. The program
 * listens on $PORT of $HOST and reports $SIGNALBOX_RELEASE: see `release`.
 */
export const ServiceFile = z
  .object({
    /** Build commands in order, run in the checkout. Without build commands and without a Dockerfile, nothing is built. */
    build: z
      .array(z.array(z.string().min(1).max(1_000)).min(1).max(50))
      .max(20)
      .default([]),
    /** Commands that test the project, in order, run after the build commands when its code is changed: see docs/engineering.md. */
    test: z
      .array(z.array(z.string().min(1).max(1_000)).min(1).max(50))
      .max(20)
      .optional(),
    /** The start command. Not needed when an engine runs the Dockerfile. */
    start: z.array(z.string().min(1).max(1_000)).min(1).max(50).optional(),
    health: z
      .object({
        /** Path that answers with status 200 when the service is ready. */
        path: z.string().startsWith('/').max(200).default('/'),
        withinSeconds: z.number().int().min(1).max(600).default(30),
        /** The status that says so; 200 when left out. */
        status: HealthStatus.optional(),
        /** Request headers, such as the `Host` that the service wants. */
        headers: z.record(HeaderName, HeaderValue).optional(),
      })
      .prefault({}),
    /**
     * Where the instance reports its release: in a response header of the health path, in a field of its JSON body, or nowhere. Default:
     * the header `x-release` when present. Without a report, a deployment verifies only the identity of the instance behind the proxy,
     * and its evidence says so.
     */
    release: z
      .discriminatedUnion('from', [
        z.object({ from: z.literal('header'), name: z.string().max(100).default('x-release') }),
        z.object({ from: z.literal('json'), field: z.string().max(100).default('release') }),
        z.object({ from: z.literal('instance') }),
      ])
      .optional(),
    /** Variables that must be set before the service starts. */
    requires: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/))
      .max(100)
      .default([]),
    memoryMb: z.number().int().min(16).max(1_000_000).default(256),
    cpus: z.number().min(0.05).max(256).default(1),
    /** Seconds that open requests and a stopping instance may take after the switch of traffic. */
    drainSeconds: z.number().int().min(0).max(300).default(10),
    /** The port inside a container; programs without a container use $PORT. */
    port: z.number().int().min(1).max(65_535).default(3000),
  })
  .strict();
export type ServiceFile = z.infer<typeof ServiceFile>;

/** What people have to know of a plan beyond its commands. Names of files, lines and commands are text from outside. */
export const PlanNote = z.discriminatedUnion('kind', [
  /** A file that would come first and is not used, because the server or the commit lacks what it needs. */
  z.object({
    kind: z.literal('passed'),
    of: z.string().max(200),
    need: z.enum(['engine', 'program', 'file', 'language']),
    what: z.string().max(200),
    server: z.string().max(80),
  }),
  /** Settings that people gave in the chat, as people write them. */
  z.object({ kind: z.literal('given'), settings: z.array(z.string().max(1_100)).max(10) }),
  /** A command that a new release runs once, before it serves. */
  z.object({ kind: z.literal('release'), command: z.string().max(1_000) }),
  /** Lines of a Procfile that are not run. */
  z.object({ kind: z.literal('notRun'), names: z.array(z.string().max(100)).max(20) }),
  /** Submodules whose files are missing. */
  z.object({ kind: z.literal('submodules'), paths: z.array(z.string().max(200)).max(20) }),
  /** Patterns of files of which only the pointers of Git LFS are there. */
  z.object({ kind: z.literal('lfs'), patterns: z.array(z.string().max(200)).max(20) }),
]);
export type PlanNote = z.infer<typeof PlanNote>;

/** Everything that a deployment runs. The plan is resolved before approval and compared before build and start. Secrets are masked. */
export const DeployPlan = z.object({
  repository: z.string().max(400).nullable(),
  ref: z.string().max(200),
  /** Full id of the commit to deploy. */
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  server: z.object({
    name: z.string().max(80),
    driver: DriverName,
    host: z.string().max(253),
    hostKey: z.string().max(200).nullable(),
    /** SHA-256 of the server's login data. */
    login: z.string().max(64),
  }),
  /** For a rollback: id of the deployment whose artifact is started again. */
  artifact: z.string().max(160).nullable(),
  build: ServiceFile.shape.build,
  /** The start command; null when the Dockerfile defines it. */
  start: z.array(z.string()).nullable(),
  health: z.string().max(200),
  /** SHA-256 of signalbox.json and of the Dockerfile; null when the file is not used. */
  file: z.string().length(64),
  dockerfile: z.string().length(64).nullable(),
  /** Names of variables, each with a hash of its value; never the value. */
  variables: z.array(z.object({ name: z.string(), mark: z.string().max(64) })).readonly(),
  /** Left out where there is nothing to say. */
  notes: z.array(PlanNote).max(20).readonly().optional(),
});
export type DeployPlan = z.infer<typeof DeployPlan>;

/** Subject and author of a commit. Both are text from outside, cleaned and shortened. */
export const CommitSummary = z.object({ subject: z.string().max(200), author: z.string().max(100) });
export type CommitSummary = z.infer<typeof CommitSummary>;

/** One measured precondition of a deployment. */
export const ReadinessCheck = z.object({
  /** Name of the check, such as `target`, `disk`, `ref`, `variables`, `lock`. */
  name: z.string().max(40),
  ok: z.boolean(),
  /** What was measured: "4.1 GB of 20 GB free". */
  evidence: z.string().max(500),
  /** What to do when the check fails. */
  remedy: z.string().max(300).nullable(),
});
export type ReadinessCheck = z.infer<typeof ReadinessCheck>;

/** One line of a log, redacted. */
export const LogLine = z.object({ at: z.string().nullable(), stream: z.enum(['out', 'err']), line: z.string() });
export type LogLine = z.infer<typeof LogLine>;

export const DeployFailure = z.object({
  state: DeployState,
  code: z.string().max(60),
  sentence: z.string().max(1_000),
  /** The last log lines, redacted. */
  lines: z.array(z.string().max(2_000)).max(40),
});
export type DeployFailure = z.infer<typeof DeployFailure>;

/** Identifies a service: a project in an environment. */
export const ServiceKey = z.object({
  project: z.string().min(1).max(80),
  environment: z.enum(['staging', 'production', 'local']),
});
export type ServiceKey = z.infer<typeof ServiceKey>;

/** Returns the name of a service, which the proxy, locks and texts use: `shop/staging`. */
export function formatServiceName(service: ServiceKey): string {
  return `${service.project}/${service.environment}`;
}
