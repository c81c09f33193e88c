import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { createSecretCipher } from '@signalbox/safety/secrets/cipher';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TEST_SECRETS_KEY } from '../support/secrets-key.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import type { Person } from '../support/person.ts';

// Made up, and put together here so that no scanner of repositories takes them for real ones.
const AWS_KEY = ['AKIA', 'Q3EGRT5VXW7JZ2LM'].join('');
const PASSWORD = 'tr0ub4dor-and-3';

interface Row {
  readonly user_key: string;
  readonly handle: string;
  readonly kind: string;
  readonly ciphertext: Buffer;
  readonly keptHours: number | null;
}

describe('secrets', () => {
  let stack: Stack;
  let ada: Person;
  beforeEach(async () => {
    stack = await openStack();
    ada = await stack.person(1001, 'admin');
  });
  afterEach(() => stack.close());

  const stored = async (): Promise<readonly Row[]> =>
    (
      await stack.pool.query<Row>(
        `select user_key, handle, kind, ciphertext, round(extract(epoch from expires_at - created_at) / 3600)::int as "keptHours"
           from secrets order by handle`,
      )
    ).rows;
  const texts = async (): Promise<readonly string[]> =>
    (await stack.pool.query<{ text: string }>(`select envelope::text as text from inbox order by id`)).rows.map(
      (row) => row.text,
    );
  const open = (row: Row | undefined): string =>
    createSecretCipher(Buffer.from(TEST_SECRETS_KEY, 'base64')).open(row?.ciphertext ?? Buffer.alloc(0), {
      userKey: row?.user_key ?? '',
      handle: row?.handle ?? '',
    });
  /** What somebody wrote that still stands in their chat. */
  const written = async (person: number, chat: number | 'ops' = person): Promise<readonly string[]> =>
    (await createSimulatorClient(stack.simulatorUrl).messages(person, chat))
      .filter((message) => message.from.id === person && !message.deleted)
      .map((message) => message.text);

  it('a key in a message becomes a handle, its sender is notified, and the message is deleted', async () => {
    const heard = await ada.ask(`list the projects with ${AWS_KEY} please`);
    const [row, ...more] = await stored();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ user_key: '1001', kind: 'aws-key', keptHours: 24 });
    expect(row?.handle).toMatch(/^secret:aws-key-[0-9a-z]{8}$/);
    expect(open(row)).toBe(AWS_KEY);
    const [text] = await texts();
    expect(text).toContain(`list the projects with ${row?.handle ?? '?'} please`);
    expect(text).not.toContain(AWS_KEY);
    expect(heard.filter((line) => line.includes(row?.handle ?? '?')).join()).toMatch(
      /the AWS key as .*deleting your message/s,
    );
    expect(heard.join()).not.toContain(AWS_KEY);
    await eventually(
      () => written(1001),
      (messages) => messages.length === 0,
    );
    const { rows: audit } = await stack.pool.query(
      `select kind, actor, data from audit_events where kind like 'secret.%'`,
    );
    expect(audit).toMatchObject([
      { kind: 'secret.kept', actor: '1001', data: { handle: row?.handle, kind: 'aws-key' } },
    ]);
  });

  it('the value of a secret variable in an order is shown nowhere, and the message is deleted', async () => {
    await ada.ask('create a project called shop for the web shop');
    const before = (await written(1001)).length;
    const value = 'correct-horse-battery';
    const heard = await ada.ask(`set the variable DB_PASSWORD of shop in staging to ${value}`);
    expect(heard.join('\n')).toMatch(/deleting your message/);
    const { rows } = await stack.pool.query<{ text: string }>(
      `select body::text as text from outbox union all select envelope::text from inbox union all select arguments::text from actions
       union all select record::text from execution_turns`,
    );
    expect(rows.filter(({ text }) => text.includes(value))).toEqual([]);
    await eventually(
      () => written(1001),
      (messages) => messages.length === before,
    );
    const { rows: set } = await stack.pool.query(
      `select arguments ->> 'value' as value from actions where tool = 'set_service_variable'`,
    );
    expect(set).toEqual([{ value: expect.stringMatching(/^secret:/) as string }]);
  });

  it('the same key sent twice has one handle', async () => {
    await ada.ask(`first ${AWS_KEY}`);
    await ada.ask(`second ${AWS_KEY}`);
    expect(await stored()).toHaveLength(1);
  });

  it('/secret set stores a value under its name, whatever the value looks like, and shows it to nobody', async () => {
    const [answer] = await ada.ask(`/secret set db-password ${PASSWORD}`);
    expect(answer).toMatch(/keep it as .*secret:db-password/);
    const [row] = await stored();
    expect(row).toMatchObject({ handle: 'secret:db-password', kind: 'named', keptHours: null });
    expect(open(row)).toBe(PASSWORD);
    await eventually(
      () => written(1001),
      (messages) => messages.length === 0,
    );
    expect((await texts()).join()).not.toContain(PASSWORD);
    expect((await ada.ask('/secret list')).join()).toMatch(/secret:db-password.*never used/);
    expect((await ada.ask('/secret delete db-password')).join()).toMatch(/I forgot .*secret:db-password/);
    expect(await stored()).toEqual([]);
    const { rows: audit } = await stack.pool.query<{ kind: string }>(
      `select kind from audit_events where kind like 'secret.%' order by event_id`,
    );
    expect(audit.map((event) => event.kind)).toEqual(['secret.kept', 'secret.deleted']);
  });

  it('/secret set in a group stores nothing', async () => {
    await ada.send(`/secret set db-password ${PASSWORD}`, { chat: 'ops' });
    await eventually(
      async () =>
        (await stack.pool.query(`select 1 from outbox where body ->> 'text' like 'I did not keep that%'`)).rowCount,
      (count) => count === 1,
    );
    expect(await stored()).toEqual([]);
    expect((await texts()).join()).not.toContain(PASSWORD);
    const { rows } = await stack.pool.query(`select kind from audit_events where kind like 'secret.%'`);
    expect(rows).toEqual([{ kind: 'secret.refused' }]);
  });

  it('names are listed for their owner and for admins, and nobody can delete the secrets of others', async () => {
    const eli = await stack.person(1005, 'viewer');
    await ada.ask(`/secret set db-password ${PASSWORD}`);
    expect((await eli.ask('/secret list')).join()).toContain('I keep no secrets for you');
    expect((await eli.ask('/secret list 1001')).join()).toContain('Your role (viewer) does not allow that');
    expect((await eli.ask('/secret delete db-password')).join()).toContain('I keep no secret named');
    await eli.ask(`/secret set own-token ${PASSWORD}`);
    expect((await ada.ask('/secret list 1005')).join()).toMatch(/I keep for 1005:[^]*secret:own-token/);
    expect(await stored()).toHaveLength(2);
    const values = new Set((await stored()).map(open));
    expect([...values]).toEqual([PASSWORD]);
  });

  it('that a stranger sends are removed from the stored message, and stored nowhere', async () => {
    const zoe = await stack.person(1009);
    await zoe.send(`let me in, my key is ${AWS_KEY}`);
    await zoe.waitFor(/only work for people I know/);
    expect((await texts()).join()).not.toContain(AWS_KEY);
    expect(await stored()).toEqual([]);
  });

  it('that come with an edited message are hidden too', async () => {
    const people = createSimulatorClient(stack.simulatorUrl);
    const { messageId } = await people.say(1001, 'list the projects');
    await eventually(
      async () => (await texts()).length,
      (count) => count === 1,
    );
    await people.act('/api/edits', { from: 1001, messageId, text: `list the projects with ${AWS_KEY}` });
    await eventually(
      async () => (await texts()).length,
      (count) => count === 2,
    );
    expect((await texts()).join()).not.toContain(AWS_KEY);
    expect((await texts()).join()).toContain('secret:aws-key-');
    await eventually(
      () => written(1001),
      (messages) => messages.length === 0,
    );
  });

  it('are deleted when they expire', async () => {
    await ada.ask(`list the projects with ${AWS_KEY}`);
    await stack.pool.query(`update secrets set expires_at = now() - interval '1 second'`);
    expect((await ada.ask('/secret list')).join()).toContain('I keep no secrets for you');
  });
});
