import pg from 'pg';

const UNDER_WAY = `
  select exists (select from inbox where user_key = $1 and outcome is null)
      or exists (select from lanes where user_key = $1 and worker is not null and lease_until > now())
      or exists (select from outbox where user_key = $1 and status in ('pending', 'sending')) as yes`;

const ARRIVED = 'select exists (select from inbox where user_key = $1 and update_id = $2) as yes';

/** Opens a database connection that reports the progress of one person's messages. Close it after use. */
export function openChatActivity(databaseUrl: string, userKey: string) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  pool.on('error', () => undefined); // an idle connection broke; the next query reconnects
  const ask = async (text: string, values: readonly string[]): Promise<boolean> => {
    const result = await pool.query<{ readonly yes: boolean }>(text, [...values]);
    return result.rows[0]?.yes === true;
  };
  return {
    /** True when the update is in the database; before that, isUnderWay is false for every message. */
    hasArrived: (updateId: number): Promise<boolean> => ask(ARRIVED, [userKey, String(updateId)]),
    /** True while a message of this person is queued, processed or being sent. */
    isUnderWay: (): Promise<boolean> => ask(UNDER_WAY, [userKey]),
    close: (): Promise<void> => pool.end(),
  };
}

export type ChatActivity = ReturnType<typeof openChatActivity>;
