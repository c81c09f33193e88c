import type { Queryable } from '../pool.ts';
import { readRow } from '../sql.ts';

/** What is under way at one moment. An update ends none of it: it waits, and goes on afterwards. */
export interface WorkInFlight {
  readonly turns: number;
  readonly messages: number;
  readonly replies: number;
  readonly jobs: number;
  readonly requests: number;
}

/** Counts work in flight. Reads only what every release since 0.2 has, so it works before the migrations. */
export function readWorkInFlight(db: Queryable): Promise<WorkInFlight> {
  return readRow<WorkInFlight & Record<string, number>>(db)`
    select (select count(*)::int from lanes where begun > 0) as turns,
           (select count(*)::int from inbox where outcome is null) as messages,
           (select count(*)::int from outbox where status in ('pending', 'sending')) as replies,
           (select count(*)::int from runs where status in ('queued', 'running')) as jobs,
           (select count(*)::int from approvals where status = 'pending') as requests`;
}
