import { z } from 'zod';

export interface JobSpec<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** Which process pool runs it; each pool is one BullMQ queue and holds only its own secrets. */
  readonly pool: 'maintenance';
  readonly payload: P;
  readonly result: R;
  readonly attempts: number;
  readonly deadlineMs: number;
  /** Runs by itself this often; null for jobs that only tools start. */
  readonly everyMs: number | null;
}

const job = <P extends z.ZodType, R extends z.ZodType>(spec: JobSpec<P, R>): JobSpec<P, R> => spec;

/** Every background job. Adding a line here makes the compiler ask for its handler. */
export const JOBS = {
  'knowledge.index': job({
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ files: z.number().int(), passages: z.number().int(), changed: z.number().int() }),
    attempts: 3,
    deadlineMs: 2 * 60_000,
    everyMs: 10 * 60_000,
  }),
  'threads.expire': job({
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ expired: z.number().int() }),
    attempts: 1,
    deadlineMs: 30_000,
    everyMs: 30_000,
  }),
} as const;

export type JobName = keyof typeof JOBS;
export type JobPayload<N extends JobName> = z.output<(typeof JOBS)[N]['payload']>;
export type JobResult<N extends JobName> = z.output<(typeof JOBS)[N]['result']>;
