import { randomBytes } from 'node:crypto';
import { createLog } from '@signalbox/platform/log';
import { createCards } from '@signalbox/example-bank/store/cards';
import { listChallenges, markSent } from '@signalbox/example-bank/store/code-challenges';
import { seedDemoCards } from '@signalbox/example-bank/store/demo-cards';
import { openPool, type Pool } from '@signalbox/store/pool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_AGENTS } from '@signalbox/local/config';
import { seedSimulatorPeople } from '@signalbox/local/setup/seed';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import '../support/samples.ts'; // the bank's codes and sentences

let database: TestDatabase;
let pool: Pool;
let cards: ReturnType<typeof createCards>;
let people = 4_000;

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 8, as: 'owner' });
  cards = createCards(pool, () => Promise.resolve());
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Somebody with cards, and what their next action is called. */
async function person() {
  people += 1;
  const userKey = String(people);
  await pool.query(`insert into users (user_key, channel, name, role) values ($1, 'telegram', 'P', 'viewer')`, [
    userKey,
  ]);
  await seedDemoCards(pool, [userKey]);
  const asks = (actionId = `act_${randomBytes(6).toString('hex')}`) => ({ userKey, actionId });
  const digits = userKey.slice(-2);
  const only = async () => (await cards.list(userKey)).find(({ kind }) => kind === 'debit');
  return { userKey, asks, only, debit: `44${digits}`, credit: `77${digits}` };
}

/** An account of theirs in WhatsApp since yesterday, which has written in private. */
async function withPhone(userKey: string): Promise<string> {
  const phone = `whatsapp-1${userKey}`;
  await pool.query(
    `insert into users (user_key, channel, name, role, person, created_at)
     values ($1, 'whatsapp', 'P', 'viewer', $2, now() - interval '2 days')`,
    [phone, userKey],
  );
  await pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     values ('whatsapp', '1', $1, $1, $2, 'message', '{"chatKind":"private"}', 'trc')`,
    [phone, phone.replace('-', ':')],
  );
  return phone;
}

/** Says that the code of the waiting challenge went out, with this mark. */
async function goesOut(userKey: string, mark: string): Promise<void> {
  const [open] = (await listChallenges(pool, [userKey])).get(userKey) ?? [];
  expect(await markSent(pool, open?.challengeId ?? '', mark)).toBe(true);
}

describe('a change of a card', () => {
  it('happens once for each action, also when the action is repeated at the same time', async () => {
    const { asks, debit, userKey } = await person();
    await cards.freeze(debit, asks());
    const same = asks();
    const made = await Promise.all([
      cards.replace(debit, same),
      cards.replace(debit, same),
      cards.replace(debit, same),
    ]);
    expect(new Set(made.map(({ last4 }) => last4)).size).toBe(1);
    expect(await cards.of(same.actionId)).toEqual(made[0]);
    const { rows } = await pool.query(`select 1 from cards where person = $1 and replaces is not null`, [userKey]);
    expect(rows).toHaveLength(1);
    expect(await cards.of('act_never')).toBeNull();
  });

  it('needs a proof of identity in its own transaction when the card has high risk, whatever policy decided', async () => {
    const { asks, debit, userKey } = await person();
    await cards.freeze(debit, asks());
    await cards.raiseRisk(debit, 'high', asks());
    for (const change of [
      () => cards.replace(debit, asks()),
      () => cards.unfreeze(debit, asks()),
      () => cards.reportFraud(debit, [], asks()),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'STEP_UP_NEEDED' });
    await pool.query(
      `insert into card_verifications (user_key, by, expires_at) values ($1, 'code', now() + interval '1 minute')`,
      [userKey],
    );
    await cards.replace(debit, asks());
  });

  it('cannot use an expired proof of identity, or a proof of the same person’s other account', async () => {
    const { asks, debit, userKey } = await person();
    const phone = await withPhone(userKey);
    await cards.raiseRisk(debit, 'high', asks());
    await pool.query(
      `insert into card_verifications (user_key, by, expires_at)
       values ($1, 'code', now() + interval '1 minute'), ($2, 'code', now() - interval '1 second')`,
      [phone, userKey],
    );
    await expect(cards.reportFraud(debit, [], asks())).rejects.toMatchObject({ code: 'STEP_UP_NEEDED' });
    await cards.reportFraud(debit, [], { userKey: phone, actionId: 'act_from_phone' });
  });

  it('raises the risk of the card and never lowers it', async () => {
    const { asks, only, debit } = await person();
    await cards.raiseRisk(debit, 'high', asks());
    await cards.raiseRisk(debit, 'medium', asks());
    expect(await only()).toMatchObject({ risk: 'high' });
  });

  it('reaches only cards of the person, and only payments of that card', async () => {
    const [one, other] = [await person(), await person()];
    await expect(cards.freeze(other.debit, one.asks())).rejects.toMatchObject({ code: 'CARD_UNKNOWN' });
    await expect(cards.transactions(one.userKey, other.debit, 10)).rejects.toMatchObject({ code: 'CARD_UNKNOWN' });
    await expect(cards.reportFraud(one.debit, [`tx_${other.userKey}_5`], one.asks())).rejects.toMatchObject({
      code: 'TRANSACTION_UNKNOWN',
    });
    await expect(cards.freeze('4400', { userKey: 'nobody', actionId: 'act_n' })).rejects.toMatchObject({
      code: 'CARD_NONE',
    });
  });

  it('keeps a reported card frozen for good', async () => {
    const { asks, debit } = await person();
    await cards.freeze(debit, asks());
    await cards.reportFraud(debit, [], asks());
    await expect(cards.unfreeze(debit, asks())).rejects.toMatchObject({ code: 'CARD_REPORTED' });
  });
});

describe('an identity code', () => {
  it('goes to another channel of the person, and the stored message does not contain the code', async () => {
    const { asks, userKey } = await person();
    const phone = await withPhone(userKey);
    expect(await cards.sendCode('chat', 'P', asks())).toEqual({ to: 'chat', channel: 'whatsapp' });
    const { rows } = await pool.query<{ chat_key: string; text: string }>(
      `select chat_key, body ->> 'text' as text from outbox where user_key = $1`,
      [phone],
    );
    expect(rows).toEqual([{ chat_key: phone.replace('-', ':'), text: expect.stringContaining('••••••') }]);
    expect(rows[0]?.text).not.toMatch(/\d{4}/);
  });

  it('is verified once when it is right, and refused when it is wrong or missing', async () => {
    const { asks, userKey } = await person();
    await withPhone(userKey);
    expect(await cards.checkCode('aaaaaaaa', asks())).toEqual({ outcome: 'none' });
    await cards.sendCode('chat', 'P', asks());
    // Before it went out nothing is right, not even what has no mark either.
    expect(await cards.checkCode('', asks())).toEqual({ outcome: 'wrong', triesLeft: 2 });
    await cards.sendCode('chat', 'P', asks());
    await goesOut(userKey, 'rightone');
    const once = asks();
    expect(await cards.checkCode('wrongone', once)).toEqual({ outcome: 'wrong', triesLeft: 2 });
    expect(await cards.checkCode('wrongone', once)).toEqual({ outcome: 'wrong', triesLeft: 2 });
    expect(await cards.checkCode('rightone', asks())).toEqual({ outcome: 'verified' });
    expect(await cards.isVerified(userKey)).toBe(true);
    expect(await cards.checkCode('rightone', asks())).toEqual({ outcome: 'none' });
  });

  it('locks the person out for an hour after three wrong answers', async () => {
    const { asks, userKey } = await person();
    await withPhone(userKey);
    await cards.sendCode('chat', 'P', asks());
    await goesOut(userKey, 'rightone');
    for (const outcome of ['wrong', 'wrong', 'locked', 'locked'])
      expect(await cards.checkCode('wrongone', asks())).toMatchObject({ outcome });
    expect(await cards.checkCode('rightone', asks())).toEqual({ outcome: 'locked' });
    await expect(cards.sendCode('chat', 'P', asks())).rejects.toMatchObject({ code: 'STEP_UP_LOCKED' });
    await pool.query(`update card_step_ups set ended_at = now() - interval '61 minutes' where user_key = $1`, [
      userKey,
    ]);
    await cards.sendCode('chat', 'P', asks());
  });

  it('cannot be guessed by requesting many codes: only three are sent in an hour', async () => {
    const { asks, userKey } = await person();
    await withPhone(userKey);
    for (let sent = 0; sent < 3; sent += 1) await cards.sendCode('chat', 'P', asks());
    await expect(cards.sendCode('chat', 'P', asks())).rejects.toMatchObject({ code: 'STEP_UP_TOO_MANY' });
  });

  it('is not sent to a chat of the same channel, of a program, or of an account that was linked today', async () => {
    const { asks, userKey } = await person();
    const phone = await withPhone(userKey);
    for (const change of [`channel = 'telegram'`, `is_program = true`, `created_at = now()`]) {
      await pool.query(`update users set ${change} where user_key = $1`, [phone]);
      await expect(cards.sendCode('chat', 'P', asks())).rejects.toMatchObject({ code: 'STEP_UP_NO_CHAT' });
      await pool.query(
        `update users set channel = 'whatsapp', is_program = false, created_at = now() - interval '2 days' where user_key = $1`,
        [phone],
      );
    }
    await cards.sendCode('chat', 'P', asks());
  });

  it('reaches an operator, who can then vouch, only after an operator approved exactly that action', async () => {
    const { asks } = await person();
    await expect(cards.sendCode('operator', 'P', asks())).rejects.toMatchObject({ code: 'STEP_UP_UNAPPROVED' });
    await expect(cards.vouch(asks())).rejects.toMatchObject({ code: 'STEP_UP_UNAPPROVED' });
    await expect(cards.takeCases(asks())).rejects.toMatchObject({ code: 'STEP_UP_UNAPPROVED' });
  });
});

it('npm start gives each of the demo people two cards with payments, and gives the bank its branches', async () => {
  await seedSimulatorPeople(database.url, SAMPLE_AGENTS);
  await seedSimulatorPeople(database.url, SAMPLE_AGENTS);
  expect((await cards.list('1005')).map(({ last4 }) => last4)).toEqual(['4405', '7705']);
  expect(await cards.transactions('1005', '4405', 30)).toHaveLength(6);
  expect(await cards.branches('hamburg')).toHaveLength(1);
});

it('cards for demo people are created once, and store no full card number', async () => {
  const { userKey } = await person();
  await seedDemoCards(pool, [userKey]);
  expect(await cards.list(userKey)).toHaveLength(2);
  const { rows } = await pool.query<{ text: string }>(`select c::text as text from cards c where person = $1`, [
    userKey,
  ]);
  for (const { text } of rows) expect(text).toMatch(/tok_[0-9a-f]{32}/);
  const { rows: columns } = await pool.query(
    `select 1 from information_schema.columns where table_name = 'cards' and column_name ~ 'number|pan|cvc|cvv'`,
  );
  expect(columns).toEqual([]);
});
