import { hostname } from 'node:os';
import { CommonConfig, readConfig } from '@signalbox/platform/config';
import { TracingConfig } from '@signalbox/platform/tracing/settings';
import { ModelConfig } from '@signalbox/models/settings';
import { PolicyConfig } from '@signalbox/safety/policy/settings';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { DEFAULT_AGENT } from './agents/default-agent.ts';

export const WorkerConfig = CommonConfig.extend({
  ...ModelConfig.shape,
  ...PolicyConfig.shape,
  ...TracingConfig.shape,
  /** Stable name of this worker among its siblings; a pod name is fine. */
  WORKER_NAME: z.string().default(`worker-${hostname()}`),
  /** The agent that answers where nobody chose one: the id of a folder in services/worker/src/agents. */
  AGENT_DEFAULT: z.string().default(DEFAULT_AGENT),
  /** How many people are served at once: most of a turn is waiting for a model. Computing is bounded by consume.ts, statements by the pool. */
  WORKER_SLOTS: z.coerce.number().int().min(1).max(1_000).default(256),
  /** Most rounds of model and tools in one turn. */
  MAX_PASSES: z.coerce.number().int().min(1).max(100).default(20),
  /** After this many silent minutes a conversation ends and the next message starts a new one. */
  THREAD_IDLE_MINUTES: z.coerce.number().positive().default(30),
  /** A lane whose worker gave no sign for this long is taken over, in milliseconds. */
  LANE_LEASE_MS: z.coerce.number().int().min(500).default(5_000),
  /** Most calls with an effect that one person's conversations may start within any 60 minutes; reads do not count. Not set: no limit. */
  BUDGET_CALLS_PER_HOUR: z.coerce.number().int().min(0).optional(),
  /** Most tokens that one person's conversations may use within a day. Not set: no limit. */
  BUDGET_TOKENS_PER_DAY: z.coerce.number().int().min(0).optional(),
  /** Most that one person's conversations may cost within a day, in USD. Not set: no limit. */
  BUDGET_USD_PER_DAY: z.coerce.number().min(0).optional(),
  /** The repository of the demo project, a folder on the machine where deployments are made. Not set: there is no demo. */
  DEMO_REPOSITORY: z.string().min(1).optional(),
  /** How checkpoints are written: each message once, or as LangGraph's own saver writes them. What either wrote is read. */
  CHECKPOINTS: z.enum(['incremental', 'stock']).default('incremental'),
  /** Database connections of this process. */
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(16),
});

export type WorkerConfig = z.infer<typeof WorkerConfig> & { readonly idleMs: number };

/** Reads the worker's configuration. Throws CONFIG_INVALID with every problem. */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): WorkerConfig {
  const config = readConfig(WorkerConfig, environment);
  return { ...config, idleMs: config.THREAD_IDLE_MINUTES * MINUTE_MS };
}
