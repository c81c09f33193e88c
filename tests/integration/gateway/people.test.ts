import { claimLane } from '@signalbox/store/turns/lanes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterEach(() => harness.close());

const say = (from: number, text: string): Promise<unknown> => harness.people.post('/api/messages', { from, text });

/** Says something and answers what the bot says next to this person. */
async function ask(person: number, text: string): Promise<string> {
  const before = (await harness.said(person)).length;
  await say(person, text);
  return until(`${text} is answered`, async () => (await harness.said(person))[before]);
}

const hears = (person: number, line: string): Promise<boolean> =>
  until(`${person} hears "${line}"`, async () => (await harness.said(person)).some((text) => text.startsWith(line)));

const roles = async (): Promise<Readonly<Record<string, string>>> => {
  const rows = await harness.rows<{ user_key: string; role: string }>('select user_key, role from users');
  return Object.fromEntries(rows.map((row) => [row.user_key, row.role]));
};

const OPTIONS = { worker: 'w1', leaseMs: 60_000, maxMessages: 10, idleMs: 60_000, agent: 'product_owner' };

test('/people lists the people with a role, and the open invitations', async () => {
  await ask(1001, '/invite viewer Dana');
  const list = await ask(1001, '/people');
  expect(list).toMatch(/^3 people may speak here:/);
  expect(list).toContain('• Ada, id 1001: admin');
  expect(list).toContain('• Invitation for Dana as a viewer, 24 h left');
});

test.each(['/people', '/allow 1009 viewer', '/deny 1005', '/invite viewer'])(
  '%s is refused to anybody but an admin',
  async (command) => {
    expect(await ask(1002, command)).toBe(
      'Your role (developer) does not allow that; it needs the role admin. Ask an admin.',
    );
    expect(Object.keys(await roles())).toHaveLength(3);
  },
);

describe('/allow', () => {
  test('lets a stranger in, and notifies a stranger who wrote before', async () => {
    await ask(1009, 'hello');
    expect(await ask(1001, '/allow 1009 developer Zoe')).toBe('Zoe (id 1009) may speak here now, as a developer.');
    await hears(1009, 'An admin let you in: you may speak here now, as a developer.');
    expect(await ask(1009, '/whoami')).toBe('You are Zoe, id 1009, role developer.');
  });

  test('lets in a person who never wrote, and cannot notify them yet', async () => {
    expect(await ask(1001, '/allow 4711 viewer')).toBe('4711 (id 4711) may speak here now, as a viewer.');
    expect(await ask(1001, '/whoami')).toContain('admin');
    expect(await harness.rows(`select 1 from dead_letters`)).toEqual([]);
    expect(await harness.rows(`select 1 from outbox where chat_key = 'telegram:4711'`)).toEqual([]);
  });

  test('changes a role at once, even for a message that already waits', async () => {
    await harness.meet(1005);
    await ask(1001, '/allow 1005 operator');
    await hears(1005, 'An admin changed your role: you are an operator now.');
    const begun = await claimLane(harness.pool, PEOPLE.viewer, OPTIONS);
    expect(begun?.person).toEqual({ name: 'Eli', role: 'operator' });
  });

  test('with the current role changes nothing and notifies nobody', async () => {
    await ask(1005, '/whoami');
    expect(await ask(1001, '/allow 1005 viewer')).toBe('Eli (id 1005) is a viewer already; nothing was changed.');
    expect(await ask(1001, '/whoami')).toContain('admin');
    expect(await harness.said(1005)).toHaveLength(1);
  });

  test.each(['/allow', '/allow 1009', '/allow Zoe developer', '/allow 1009 king', '/deny', '/deny Zoe'])(
    '%j is answered with the correct form of the command',
    async (command) => {
      expect(await ask(1001, command)).toMatch(/^Write it as \/(allow|deny) <id>/);
      expect(Object.keys(await roles())).toHaveLength(3);
    },
  );
});

describe('/deny', () => {
  test('removes a role, notifies the person, and stops their waiting work', async () => {
    await harness.meet(1002);
    await until('Ben waits for a turn', async () => (await harness.rows('select 1 from lanes')).length === 1);
    expect(await ask(1001, '/deny 1002')).toBe(
      'Ben (id 1002) no longer has a role here. Their running and waiting work was stopped.',
    );
    await hears(1002, 'An admin took your role away, so I no longer work for you.');
    const begun = await claimLane(harness.pool, PEOPLE.developer, OPTIONS);
    expect(begun?.person).toBeNull();
    expect(begun?.stopBefore).toBeGreaterThan(begun?.messages[0]?.id ?? 0);
    await say(1002, '/whoami');
    await hears(1002, 'Hello Ben, I only work for people I know.');
  });

  test('for a stranger changes nothing', async () => {
    expect(await ask(1001, '/deny 1009')).toBe('1009 has no role; nothing was changed.');
  });
});

describe('the last admin', () => {
  test.each(['/deny 1001', '/allow 1001 viewer'])('stays an admin after %s', async (command) => {
    expect(await ask(1001, command)).toMatch(/^Nothing was changed: Ada is the only admin/);
    expect((await roles())['1001']).toBe('admin');
  });

  test('can be removed once there is another admin', async () => {
    await ask(1001, '/allow 1002 admin');
    expect(await ask(1001, '/deny 1001')).toMatch(/^Ada \(id 1001\) no longer has a role here/);
    expect((await roles())['1001']).toBeUndefined();
  });

  test('remains when two admins demote each other at the same moment', async () => {
    await harness.rows(`update users set role = 'admin' where user_key = '1002'`);
    const change = (target: string): Promise<readonly { result: string }[]> =>
      harness.rows(`select user_allow($1, 'telegram', null, 'viewer', false) as result`, [target]);
    for (let round = 0; round < 5; round += 1) {
      await harness.rows(`update users set role = 'admin' where user_key in ('1001', '1002')`);
      const results = (await Promise.all([change('1001'), change('1002')])).map(([row]) => row?.result);
      expect(new Set(results)).toEqual(new Set(['changed', 'last admin']));
    }
  });
});

test('an unknown command is answered with the nearest known command, and never reaches the agent', async () => {
  expect(await ask(1005, '/statsu')).toBe(
    'There is no command /statsu. Did you mean /status? /help shows what I can do.',
  );
  expect(await ask(1005, '/peopel')).toMatch(/^There is no command \/peopel\. Say it in plain words/);
  expect(await ask(1001, '/peopel')).toContain('Did you mean /people?');
  expect(await ask(1005, '/deploy shop')).toBe(
    'There is no command /deploy. Say it in plain words, without the slash. /help shows what I can do.',
  );
  expect(await harness.rows('select 1 from inbox where outcome is null')).toEqual([]);
});

test("a command is recognized in upper or lower case, and with the bot's name after it", async () => {
  expect(await ask(1005, '/WhoAmI@Signalbox_Bot')).toBe('You are Eli, id 1005, role viewer.');
});

test('a message that begins with a file path is text for the agent', async () => {
  await say(1002, '/etc/hosts is broken');
  await until('it waits for a turn', async () => {
    const found = await harness.rows(
      `select 1 from inbox where envelope ->> 'text' = '/etc/hosts is broken' and outcome is null`,
    );
    return found.length === 1;
  });
});
