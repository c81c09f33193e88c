import type { Pool } from '@signalbox/store/pool';
import type { Person } from './person.ts';
import { eventually } from './until.ts';

/** Waits until the card of the newest request that waits stands in a person's chat with this button: an earlier card may still show it. */
export async function waitForCard(pool: Pool, person: Person, button: string): Promise<void> {
  const [request] = await eventually(
    async () =>
      (
        await pool.query<{ id: string }>(
          `select approval_id as id from approvals where status = 'pending' order by requested_at desc limit 1`,
        )
      ).rows,
    ({ length }) => length > 0,
    45_000,
  );
  await eventually(
    () => person.heard(),
    (found) =>
      found.some(
        ({ text, buttons }) =>
          text.includes(request?.id ?? 'no request') && buttons?.flat().some((one) => one.text === button),
      ),
    45_000,
  );
}
