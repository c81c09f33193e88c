import { claimLane, type ClaimedLane } from '@signalbox/store/turns/lanes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { INBOUND_TOPIC, openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.meet(1001);
  await harness.rows(`update inbox set outcome = 'answered', settled_at = now()`);
});
afterEach(() => harness.close());

interface Row {
  readonly id: string;
  readonly text: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly isHeld: boolean;
}
const inbox = (): Promise<readonly Row[]> =>
  harness.rows(
    `select id, envelope ->> 'text' as text, outcome, reason, coalesce(held_until > clock_timestamp(), false) as "isHeld"
       from inbox where coalesce(envelope ->> 'text', '') <> 'hi' order by id`,
  );
const untilRows = (count: number): Promise<readonly Row[]> =>
  until(`the inbox has ${count} rows`, async () => {
    const rows = await inbox();
    return rows.length >= count && rows;
  });
const OPTIONS = { worker: 'w1', leaseMs: 60_000, maxMessages: 10, idleMs: 60_000, agent: 'product_owner' };
const begin = (): Promise<ClaimedLane | null> => claimLane(harness.pool, PEOPLE.admin, OPTIONS);
const send = (text: string, more: object = {}): Promise<unknown> =>
  harness.people.post('/api/messages', { from: 1001, text, raw: true, ...more });
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const whole = (length: number): string => 'word '.repeat(length).slice(0, length - 1) + 'x';

test('a paste that the client cut in the middle of a word becomes one message', async () => {
  await send(whole(4_096));
  expect(await untilRows(1)).toMatchObject([{ isHeld: true }]);
  expect(await begin()).toBeNull();
  const wakes = (await harness.entries(INBOUND_TOPIC)).length;
  await sleep(60);
  await send('tail of it');
  const rows = await untilRows(2);
  expect(rows[0]).toMatchObject({ text: `${whole(4_096)}tail of it`, outcome: null, isHeld: false });
  expect(rows[1]).toMatchObject({ outcome: 'merged', reason: 'rest' });
  await until('the lane is woken', async () => (await harness.entries(INBOUND_TOPIC)).length > wakes);
  expect((await begin())?.messages).toHaveLength(1);
});

test('three parts that the client cut between words become one message in order', async () => {
  await send(`one ${whole(3_900)}`);
  await send(`two ${whole(2_200)}`);
  await send('three');
  const [first] = await until('all are there', async () => {
    const rows = await inbox();
    return rows.length === 3 && rows;
  });
  expect(first?.text).toBe([`one ${whole(3_900)}`, `two ${whole(2_200)}`, 'three'].join('\n'));
});

test('a second part of a long message that begins with a slash is text, not a command', async () => {
  await send(whole(4_096));
  await send('/var/log/syslog says no');
  await send(whole(4_096));
  await send('/weather');
  const rows = await untilRows(4);
  expect(rows.map((row) => row.outcome)).toEqual([null, 'merged', null, 'merged']);
  expect(await harness.said(1001)).toEqual([]);
});

test('a command right after a long message is run as a command', async () => {
  await send(whole(4_096));
  await send('/secret set db-password correct-horse-battery');
  await until('it is answered', async () => (await harness.said(1001)).join().includes('secret:db-password'));
  const [long] = await untilRows(2);
  expect(long?.text).toBe(whole(4_096));
});

test('a long message waits shortly for a second part, and a short message does not wait', async () => {
  await send('deploy shop');
  expect(await untilRows(1)).toMatchObject([{ isHeld: false }]);
  await harness.rows(`update inbox set outcome = 'answered'`);
  await send(whole(4_096));
  await untilRows(2);
  const begun = await until('the lane can be taken', begin, 3_000);
  expect(begun.messages).toHaveLength(1);
  await send('and another thing');
  expect((await untilRows(3))[2]).toMatchObject({ text: 'and another thing', outcome: null });
});

test('a command, a button press and a later message are not joined to a long message', async () => {
  await send(whole(4_096));
  await untilRows(1);
  await harness.rows(
    `update inbox set envelope = jsonb_set(envelope, '{cut,at}', to_jsonb(now() - interval '9 seconds'))`,
  );
  await send('deploy shop');
  expect((await untilRows(2))[1]).toMatchObject({ text: 'deploy shop', outcome: null });
});

test('a secret that the client cut into two messages is detected, and no table holds it', async () => {
  const token = `ghp_${'Ab3dEf6hIj9lMn2pQr5tUv8xYz1aBc4dEf7h'.slice(0, 36)}`;
  await send(`${whole(4_086)} ${token.slice(0, 9)}`);
  await send(`${token.slice(9)} is the token`);
  await untilRows(2);
  const rows = await until('they are one', async () => {
    const all = await inbox();
    return all[1]?.outcome === 'merged' && all;
  });
  expect(JSON.stringify(rows)).not.toContain(token.slice(9));
  expect(rows[0]?.text).toMatch(/secret:.* is the token$/);
  await until('she is told', async () => (await harness.said(1001)).some((line) => line.includes('secret:')));
});

test('a text of six parts that is too long in total is refused once', async () => {
  for (let part = 0; part < 5; part += 1) await send(whole(4_096));
  await send('the end');
  const rows = await untilRows(6);
  await until('it is refused', async () => (await harness.said(1001)).length > 0);
  expect(rows.map((row) => row.outcome)).toEqual(['refused', 'merged', 'merged', 'refused', 'merged', 'merged']);
  expect(await harness.said(1001)).toEqual([expect.stringContaining('16,000')]);
  expect(await begin()).toBeNull();
});

test('a second part without a mention is joined to the first part that mentions the bot in a group', async () => {
  const date = Math.floor(Date.now() / 1_000);
  const part = (id: number, text: string): Promise<unknown> =>
    harness.people.post('/api/updates', {
      update: {
        message: {
          message_id: id,
          date,
          chat: { id: -2001, type: 'supergroup', title: 'ops' },
          from: { id: 1001, is_bot: false, first_name: 'Ada' },
          text,
        },
      },
    });
  await part(900, `@signalbox_bot ${whole(4_081)}`);
  await part(901, 'the rest');
  const [first] = await until('they are one', async () => {
    const rows = await inbox();
    return rows[1]?.outcome === 'merged' && rows;
  });
  expect(first?.text).toBe(`${whole(4_081)}the rest`);
  await part(902, 'lunch?');
  await send('/whoami');
  await until('she is answered', async () => (await harness.said(1001)).length > 0);
  expect(await inbox()).toHaveLength(3);
});
