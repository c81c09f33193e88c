import pg from 'pg';

const UNDER_WAY = `
  select exists (select from inbox where user_key = $1 and outcome is null)
      or exists (select from lanes where user_key = $1 and worker is not null and lease_until > now())
      or exists (select from outbox where user_key = $1 and status in ('pending', 'sending')) as yes`;

const ARRIVED = 'select exists (select from inbox where user_key = $1 and update_id = $2) as yes';

/** Opens a view on what the database knows about one person's messages. Close it. */
export function openActivity(databaseUrl: string, userKey: string) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  pool.on('error', () => undefined); // an idle connection broke; the next query opens another
  const ask = async (text: string, values: readonly string[]): Promise<boolean> => {
    const result = await pool.query<{ readonly yes: boolean }>(text, [...values]);
    return result.rows[0]?.yes === true;
  };
  return {
    /** Whether the update has been received, so that "nothing is under way" can be believed. */
    hasArrived: (updateId: number): Promise<boolean> => ask(ARRIVED, [userKey, String(updateId)]),
    /** Whether something of this person is queued, being worked on, or waiting to be sent. */
    isUnderWay: (): Promise<boolean> => ask(UNDER_WAY, [userKey]),
    close: (): Promise<void> => pool.end(),
  };
}

export type Activity = ReturnType<typeof openActivity>;
