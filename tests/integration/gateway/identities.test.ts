import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;
const OTHER = 1010;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.people.post('/api/people', { id: OTHER, name: 'Ada at home', inGroup: true });
});
afterEach(() => harness.close());

async function ask(person: number, text: string): Promise<string> {
  const before = (await harness.said(person)).length;
  await harness.people.post('/api/messages', { from: person, text });
  return until(`${text} is answered`, async () => (await harness.said(person))[before]);
}

async function linkCode(person = 1001): Promise<string> {
  const text = await ask(person, '/link');
  return /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec(text)?.[0] ?? 'no code';
}

const people = (): Promise<readonly { user_key: string; role: string; person: string }[]> =>
  harness.rows('select user_key, role, person from users order by user_key');

describe('a code for another account', () => {
  test('links the account to the person with their role, once, and notifies the person', async () => {
    const code = await linkCode();
    expect(await ask(OTHER, code)).toBe('This account is Ada’s now, as an admin. Say what you need, or send /help.');
    expect(await people()).toContainEqual({ user_key: '1010', role: 'admin', person: '1001' });
    await until('Ada is told', async () =>
      (await harness.said(1001)).some((text) => text.startsWith('Ada at home (1010) is your account here now.')),
    );
    await harness.people.post('/api/people', { id: 1011, name: 'Thief' });
    expect(await ask(1011, code)).toBe('That code is not valid. Check that it is complete, or ask for a new one.');
    expect((await people()).map(({ user_key }) => user_key)).not.toContain('1011');
  });

  test('is stored in no table', async () => {
    const code = await linkCode();
    await until('it is delivered', async () => {
      const [row] = await harness.rows<{ body: string | null }>(
        `select string_agg(body::text, ' ') as body from outbox where status = 'sent'`,
      );
      return row?.body?.includes('A code for another account');
    });
    const [row] = await harness.rows<{ all: string }>(`select concat(
      (select string_agg(envelope::text, ' ') from inbox), (select string_agg(body::text, ' ') from outbox),
      (select string_agg(identity_codes::text, ' ') from identity_codes)) as all`);
    expect(row?.all).not.toContain(code);
  });

  test('is invalid after ten minutes', async () => {
    const code = await linkCode();
    await harness.rows(`update identity_codes set expires_at = now() - interval '1 second'`);
    expect(await ask(OTHER, code)).toMatch(/not valid/);
  });

  test('does not take over the account of somebody else, and stays valid', async () => {
    const code = await linkCode();
    expect(await ask(1002, code)).toMatch(/^This account has a role of its own here, a developer/);
    expect(await people()).toContainEqual({ user_key: '1002', role: 'developer', person: '1002' });
    expect(await ask(OTHER, code)).toMatch(/^This account is Ada’s now/);
  });

  test('is invalid once it was posted in a group', async () => {
    const code = await linkCode();
    await harness.people.post('/api/messages', { from: 1001, text: `@signalbox_bot ${code}`, chat: 'ops' });
    await until(
      'the group is warned',
      async () => (await harness.said(1001)).length + (await harness.said(1001, 'ops')).length > 1,
    );
    expect(await ask(OTHER, code)).toMatch(/not valid/);
  });

  test('is not shown in a group', async () => {
    await harness.people.post('/api/messages', { from: 1001, text: '/link@signalbox_bot', chat: 'ops' });
    await until('it is answered', async () => {
      const [row] = await harness.rows<{ text: string }>(`select body ->> 'text' as text from outbox`);
      return row?.text.startsWith('Write that to me in private');
    });
    expect(await harness.rows('select * from identity_codes')).toEqual([]);
  });
});

describe('two accounts of one person', () => {
  beforeEach(async () => {
    await ask(OTHER, await linkCode(1002)); // Ben, a developer
    await until('Ben is told', async () => (await harness.said(1002)).length === 2);
  });

  test('share a role, even after a change for one of them', async () => {
    await ask(1001, '/allow 1010 operator');
    expect((await people()).filter(({ person }) => person === '1002').map(({ role }) => role)).toEqual([
      'operator',
      'operator',
    ]);
  });

  test('lose their role together when an admin removes it from one', async () => {
    await ask(1001, '/deny 1010');
    expect((await people()).filter(({ person }) => person === '1002')).toEqual([]);
    expect(await ask(1002, '/whoami')).toMatch(/1002/);
    expect((await people()).map(({ user_key }) => user_key)).toEqual(['1001', '1005']);
  });

  test('are listed, and either account can unlink the second account', async () => {
    expect(await ask(1002, '/link')).toMatch(/Your accounts here:\n\n.*Ben, 1002, the first one\n.*Ada at home, 1010/);
    expect(await ask(OTHER, '/link remove 1002')).toMatch(/^You cannot unlink/);
    expect(await ask(1001, '/link remove 1010')).toMatch(/^You cannot unlink/);
    expect(await ask(1002, '/link remove 1010')).toMatch(/not your account any more/);
    expect((await people()).map(({ user_key }) => user_key)).toEqual(['1001', '1002', '1005']);
  });
});

test('the last admin keeps the role, however many accounts they have', async () => {
  await ask(OTHER, await linkCode());
  expect(await ask(OTHER, '/role 1001 viewer')).toMatch(/only admin/);
  expect(await ask(1001, '/deny 1010')).toMatch(/only admin/);
  expect((await people()).filter(({ role }) => role === 'admin')).toHaveLength(2);
});
