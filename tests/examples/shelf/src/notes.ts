import { AppError } from '@signalbox/contracts/errors';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { findValue, listValues, sql } from '@signalbox/store/sql';

/** Notes that one person may have. */
const MAX_NOTES = 100;

/** The notes in Postgres. */
export function createNotes(pool: Pool) {
  return {
    /** Adds a note and returns how many the person has now. Running the same action again adds nothing. Throws SHELF_FULL. */
    add: (userKey: string, text: string, actionId: string): Promise<number> =>
      withTransaction(pool, async (db) => {
        await db.query(sql`insert into shelf_people (user_key) values (${userKey}) on conflict do nothing`);
        const before = await findValue<number>(db, 0)`select count(*)::int from shelf_notes
          where user_key = ${userKey} and action_id <> ${actionId}`;
        if (before >= MAX_NOTES) throw new AppError('SHELF_FULL', { limit: String(MAX_NOTES) });
        await db.query(sql`insert into shelf_notes (action_id, user_key, text) values (${actionId}, ${userKey}, ${text})
          on conflict do nothing`);
        return before + 1;
      }),

    /** The notes of a person, the newest first. */
    list: (userKey: string): Promise<readonly string[]> =>
      listValues<string>(pool)`select text from shelf_notes where user_key = ${userKey} order by added_at desc`,
  };
}
