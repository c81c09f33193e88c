import { withTransaction, type Pool, type Queryable } from './pool.ts';
import { listRows, sql } from './sql.ts';

/** A number about the whole installation. `labels` never hold ids or names of people. */
export interface OperatingFigure {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A person's limits over a day or an hour; null: unlimited. */
interface Limits {
  readonly callsPerHour: number | null;
  readonly tokensPerDay: number | null;
  readonly costUsdPerDay: number | null;
}

/** Reads counts, ages and sizes of the whole installation. Only the pool `maintenance` may. Throws when it takes longer than `deadlineMs`. */
export function readOperatingFigures(pool: Pool, deadlineMs: number): Promise<readonly OperatingFigure[]> {
  return readWithin(pool, deadlineMs, (db) => listRows<OperatingFigure>(db)`select * from operating_figures()`);
}

/** Reads the largest share of its limit that one person has used, for each limit that is set. */
export async function readBudgetFigures(
  pool: Pool,
  limits: Limits,
  deadlineMs: number,
): Promise<readonly OperatingFigure[]> {
  const { callsPerHour, tokensPerDay, costUsdPerDay } = limits;
  if (callsPerHour === null && tokensPerDay === null && costUsdPerDay === null) return [];
  const [use] = await readWithin(
    pool,
    deadlineMs,
    (db) => listRows<{ readonly calls: number; readonly tokens: number; readonly cost: number }>(db)`
      select coalesce((select max(x.n) from (
               select count(*)::float8 as n from actions a join users u using (user_key)
                where a.started_at > now() - interval '1 hour' group by u.person) x), 0) as calls,
             coalesce(max(y.tokens), 0)::float8 as tokens, coalesce(max(y.cost), 0)::float8 as cost
        from (select sum((t.usage ->> 'inputTokens')::bigint + (t.usage ->> 'outputTokens')::bigint) as tokens,
                     sum((t.usage ->> 'costUsd')::float8) as cost
                from turns t join users u using (user_key)
               where t.started_at > now() - interval '1 day' group by u.person) y`,
  );
  const share = (budget: string, used: number, limit: number | null): readonly OperatingFigure[] =>
    limit === null || limit === 0 ? [] : [{ name: 'budget_used_ratio', labels: { budget }, value: used / limit }];
  return [
    ...share('calls-per-hour', use?.calls ?? 0, callsPerHour),
    ...share('tokens-per-day', use?.tokens ?? 0, tokensPerDay),
    ...share('usd-per-day', use?.cost ?? 0, costUsdPerDay),
  ];
}

/** Postgres itself ends the statement: a connection that nobody waits for any more would be lost to the service. */
function readWithin<T>(pool: Pool, deadlineMs: number, read: (db: Queryable) => Promise<T>): Promise<T> {
  return withTransaction(pool, async (db) => {
    await db.query(sql`select set_config('statement_timeout', ${String(deadlineMs)}, true)`);
    return read(db);
  });
}
