import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

const HOUR = 3_600;

describe('a request that arrives late', () => {
  let stack: Stack;
  let ada: Person;
  beforeAll(async () => {
    stack = await openStack();
    ada = await stack.person(1001, 'admin');
    await ada.ask('/whoami'); // a bot writes only to whom wrote to it
  });
  afterAll(() => stack.close());

  let next = 9_000_000;
  /** Sends words that were written `ageSeconds` ago, and answers what the bot says on them. */
  async function sendOld(text: string, ageSeconds: number, more: object = {}): Promise<string> {
    next += 1;
    const date = Math.floor(Date.now() / 1_000) - ageSeconds;
    const chat = { id: 1001, type: 'private', first_name: 'Ada' };
    const from = { id: 1001, is_bot: false, first_name: 'Ada' };
    const message = { message_id: next, date, chat, from, text, ...more };
    const update = 'edit_date' in more ? { edited_message: message } : { message };
    const before = (await ada.heard()).length;
    const answer = await fetch(`${stack.simulatorUrl}/api/updates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ update }),
    });
    expect(answer.ok).toBe(true);
    const isQuiet = async (): Promise<boolean> => {
      const { rowCount } = await stack.pool.query(
        `select 1 from inbox where outcome is null union all select 1 from outbox where status in ('pending', 'sending')`,
      );
      return rowCount === 0;
    };
    await eventually(async () => (await ada.heard()).length > before && isQuiet(), Boolean, 40_000);
    return (await ada.heard())
      .slice(before)
      .map((one) => one.text)
      .join('\n');
  }
  const exists = async (name: string): Promise<boolean> =>
    (await stack.pool.query('select 1 from projects where name = $1', [name])).rowCount === 1;

  test('changes nothing before its author confirms it', async () => {
    const said = await sendOld('create a project called stale for the web shop', 23 * HOUR);
    expect(said).toContain('You wrote that 23 hours ago.');
    expect(await exists('stale')).toBe(false);
    await ada.clickAndWait('Confirm');
    await eventually(() => exists('stale'), Boolean, 20_000);
  });

  test('is answered at once when it changes nothing', async () => {
    expect(await sendOld('list the projects', 23 * HOUR)).toContain('stale');
  });

  test('counts as on time for ten minutes after it was written', async () => {
    await sendOld('create a project called fresh for the web shop', 9 * 60);
    expect(await exists('fresh')).toBe(true);
  });

  test('has its age counted from its last edit', async () => {
    const now = Math.floor(Date.now() / 1_000);
    await sendOld('create a project called edited for the web shop', 23 * HOUR, { edit_date: now });
    expect(await exists('edited')).toBe(true);
    const said = await sendOld('create a project called worn for the web shop', 23 * HOUR, {
      edit_date: now - 20 * 60,
    });
    expect(said).toContain('You wrote that 20 minutes ago.');
    expect(await exists('worn')).toBe(false);
  });

  test('does not let anybody in when it is an /allow command', async () => {
    expect(await sendOld('/allow 1077 admin Mallory', 3 * 24 * HOUR)).toContain(
      'You wrote that 3 days ago, so I did nothing.',
    );
    const { rowCount } = await stack.pool.query(`select 1 from users where user_key = '1077'`);
    expect(rowCount).toBe(0);
    expect(await sendOld('/whoami', 23 * HOUR)).toContain('admin');
  });
});
