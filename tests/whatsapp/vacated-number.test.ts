import { createIdentityCode } from '@signalbox/store/people/identities';
import { grantUserRole, findUser, listUsers } from '@signalbox/store/people/users';
import { BOT_DEFAULTS } from '@signalbox/whatsapp-simulator/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { ADA, ADA_CHAT, openWhatsApp, type WhatsAppHarness } from './harness.ts';

const ADMIN = '12025550102';
const OTHER = '12025550103';
const KEY = `whatsapp-${ADA}`;

let harness: WhatsAppHarness;
beforeEach(async () => {
  harness = await openWhatsApp();
  await grantUserRole(harness.pool, { userKey: `whatsapp-${ADMIN}`, channel: 'whatsapp', name: 'Root', role: 'admin' });
  const gateway = await harness.startGateway();
  await harness.people.settings({ retryMs: 10 });
  await harness.people.subscribe(gateway.webhook);
  for (const one of [ADA, ADMIN]) await harness.people.say(one, '/whoami');
  await until(async () => (await texts(ADMIN)).length > 0 && (await texts(ADA)).length > 0);
});
afterEach(() => harness.close());

const texts = async (number: string): Promise<readonly string[]> =>
  (await harness.people.messages(number)).filter(({ fromBot }) => fromBot).map(({ text }) => text);
let count = 0;
/** A webhook of Meta's with one message from Ada's number. */
const bring = async (message: object, contact: object = {}, id = `wamid.v${(count += 1)}`): Promise<string> => {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '12025550100', phone_number_id: BOT_DEFAULTS.phoneNumberId },
    contacts: [{ profile: { name: 'Ada' }, wa_id: ADA, ...contact }],
    messages: [{ from: ADA, id, timestamp, type: 'text', ...message }],
  };
  const changes = [{ field: 'messages', value }];
  const body = { object: 'whatsapp_business_account', entry: [{ id: '1', changes }] };
  expect((await harness.people.postRaw(JSON.stringify(body))).status).toBe(200);
  return id;
};
const text = (body: string, more: object = {}): object => ({ text: { body }, ...more });
const system = (type: string): object => ({ type: 'system', system: { type, wa_id: OTHER, body: 'changed' } });
const outcomes = async (): Promise<readonly unknown[]> =>
  (
    await harness.pool.query(
      `select envelope ->> 'text' as text, reason from inbox where user_key = $1 and kind = 'message' order by id`,
      [KEY],
    )
  ).rows.map(({ text: said, reason }) => [said, reason]);

test.each([
  ['gave the number up', () => bring(system('user_changed_number'))],
  ['has another identity', () => bring(system('customer_identity_changed'))],
  [
    'is another user',
    async () => {
      await bring(text('as before', { from_user_id: 'US.1' }));
      await bring(text('as before'), { user_id: 'US.1' });
      return bring(text('somebody else', { from_user_id: 'US.2' }));
    },
  ],
  [
    'has another key',
    async () => {
      await bring(text('as before'), { identity_key_hash: 'k1' });
      return bring(text('somebody else'), { identity_key_hash: 'k2' });
    },
  ],
])(
  'a phone number whose owner %s loses its role and its waiting messages until an admin restores it',
  async (_, signal) => {
    await signal();
    expect(await findUser(harness.pool, KEY)).toBeNull();
    const [id = ''] = await harness.say([{ text: 'The secret plan.' }]);
    await bring(text('what is the plan?'));
    expect((await outcomes()).at(-1)).toEqual(['what is the plan?', 'stranger']);
    expect((await harness.row(id)).status).toBe('undeliverable');
    const told = await until(async () => (await texts(ADMIN)).find((one) => one.includes(`/allow ${KEY}`)));
    expect(told).toContain('may have a new owner');
    await harness.people.say(ADMIN, `/allow ${KEY} developer`);
    await until(async () => (await texts(ADA)).includes('The secret plan.'));
    await bring(text('it is me'));
    expect((await outcomes()).at(-1)).toEqual(['it is me', null]);
  },
);

test('a notice of a changed number that Meta repeats after an admin settled it changes nothing', async () => {
  const id = await bring(system('user_changed_number'));
  await harness.people.say(ADMIN, `/allow ${KEY} developer`);
  await until(async () => (await findUser(harness.pool, KEY)) !== null);
  await bring(system('user_changed_number'), {}, id);
  expect(await findUser(harness.pool, KEY)).toMatchObject({ role: 'developer' });
});

test("a changed number is confirmed by a code from the person's other account, and not by an invitation", async () => {
  const home = `whatsapp-${OTHER}`;
  const role = `insert into users (user_key, channel, name, role, person) values ($1, 'whatsapp', 'Ada', 'developer', $2)`;
  await harness.pool.query(role, [home, KEY]);
  await bring(system('user_changed_number'));
  await harness.people.say(ADMIN, '/invite operator');
  const invited = await until(
    async () =>
      /start (\S+)/.exec((await texts(ADMIN)).at(-1) ?? '')?.[1] ??
      /`{1,3}(\S+?)`/.exec((await texts(ADMIN)).at(-1) ?? '')?.[1],
  );
  await bring(text(`/start ${invited}`));
  expect(await findUser(harness.pool, KEY)).toBeNull();
  await bring(text(`/start ${await createIdentityCode(harness.pool, home)}`));
  expect(await findUser(harness.pool, KEY)).toMatchObject({ role: 'developer' });
  const { rows } = await harness.pool.query('select distinct person from users where name = $1', ['Ada']);
  expect(rows).toEqual([{ person: KEY }]);
});

test('a role that an admin removes while the owner of the number is unsure stays removed, with all waiting work', async () => {
  const [id = ''] = await (async () => {
    await bring(system('user_changed_number'));
    return harness.say([{ text: 'The secret plan.' }]);
  })();
  await harness.people.say(ADMIN, `/deny ${KEY}`);
  await until(async () => (await harness.pool.query('select 1 from vacated_accounts')).rowCount === 0);
  await bring(text('hello?'));
  expect([(await harness.row(id)).status, await findUser(harness.pool, KEY)]).toEqual(['undeliverable', null]);
});

test('a name from WhatsApp is stored without terminal control characters', async () => {
  const name = 'A\u001b[2Jd\u0007a\u202e\u009b31m';
  await bring(text('hi'), { profile: { name } });
  const named = await until(async () =>
    (await listUsers(harness.pool)).find((one) => one.userKey === KEY && one.name !== 'Ada'),
  );
  expect(named.name).toBe('A [2Jd a 31m');
  expect(ADA_CHAT).toContain(ADA);
});
