import { hostname } from 'node:os';
import { CommonConfig, readConfig } from '@signalbox/platform/config';
import { TracingConfig } from '@signalbox/platform/tracing/settings';
import { EmbeddingsConfig } from '@signalbox/models/embeddings/settings';
import { ModelConfig } from '@signalbox/models/settings';
import { PolicyConfig } from '@signalbox/safety/policy/settings';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { DEFAULT_AGENT } from './agents/default-agent.ts';

export const WorkerConfig = CommonConfig.extend({
  ...ModelConfig.shape,
  ...EmbeddingsConfig.shape,
  ...PolicyConfig.shape,
  ...TracingConfig.shape,
  /** The stable name of this worker, which no other worker has; a pod name is fine. */
  WORKER_NAME: z.string().default(`worker-${hostname()}`),
  /** The agent of chats without a chosen agent: the id of a folder in services/worker/src/agents. */
  AGENT_DEFAULT: z.string().default(DEFAULT_AGENT),
  /** Maximum passes (model calls with their tools) in one turn. */
  MAX_PASSES: z.coerce.number().int().min(1).max(100).default(20),
  /** After this many minutes without a message a conversation ends, and the next message starts a new conversation. */
  THREAD_IDLE_MINUTES: z.coerce.number().positive().default(30),
  /** Another worker takes over a lane (one person's queue) when its worker gave no sign for this many milliseconds. */
  LANE_LEASE_MS: z.coerce.number().int().min(500).default(5_000),
  /** Maximum calls with an effect that one person may start in any 60 minutes. Not set: unlimited. */
  BUDGET_CALLS_PER_HOUR: z.coerce.number().int().min(0).optional(),
  /** Maximum tokens that one person's conversations may use within a day. Not set: unlimited. */
  BUDGET_TOKENS_PER_DAY: z.coerce.number().int().min(0).optional(),
  /** Maximum cost of one person's conversations within a day, in USD. Not set: unlimited. */
  BUDGET_USD_PER_DAY: z.coerce.number().min(0).optional(),
  /** The demo project's repository, a folder on the machine where deployments run. Not set: no demo project. */
  DEMO_REPOSITORY: z.string().min(1).optional(),
  /** How checkpoints are written: each message once, or in the format of LangGraph's own saver. Both formats are read. */
  CHECKPOINTS: z.enum(['incremental', 'stock']).default('incremental'),
  /** Database connections of this process. */
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(16),
});

export type WorkerConfig = z.infer<typeof WorkerConfig> & { readonly idleMs: number };

/** Throws CONFIG_INVALID with every problem. */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): WorkerConfig {
  const config = readConfig(WorkerConfig, environment);
  return { ...config, idleMs: config.THREAD_IDLE_MINUTES * MINUTE_MS };
}
