import { z } from 'zod';

/** Jobs that look after conversations, and after people who are to answer. */
export const CONVERSATION_JOBS = {
  // As often as a reminder may be late.
  'schedules.run': {
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ ran: z.number().int(), told: z.number().int(), missed: z.number().int() }),
    attempts: 1,
    deadlineMs: 30_000,
    everyMs: 5_000,
  },
  // As often as a hand-over may be late.
  'rotas.watch': {
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ told: z.number().int() }),
    attempts: 1,
    deadlineMs: 30_000,
    everyMs: 10_000,
  },
  'incidents.escalate': {
    pool: 'deploy',
    payload: z.object({}),
    result: z.object({ asked: z.number().int() }),
    attempts: 1,
    deadlineMs: 30_000,
    everyMs: 5_000,
  },
  'threads.expire': {
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ expired: z.number().int() }),
    attempts: 1,
    deadlineMs: 30_000,
    everyMs: 30_000,
  },
  // A year of history that is too old goes in some hours, and each step is short.
  'retention.run': {
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ conversations: z.number().int(), messages: z.number().int(), other: z.number().int() }),
    attempts: 1,
    deadlineMs: 10 * 60_000,
    everyMs: 60 * 60_000,
  },
} as const;
