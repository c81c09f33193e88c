import { ensureOwnerCode } from '@signalbox/store/people/owner-code';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.people.post('/api/people', { id: 1010, name: 'Max', inGroup: true });
});
afterEach(() => harness.close());

const say = (from: number, text: string, chat?: 'ops'): Promise<unknown> =>
  harness.people.post('/api/messages', { from, text, ...(chat ? { chat } : {}) });

/** Says something and answers what the bot says next to this person. */
async function ask(person: number, text: string): Promise<string> {
  const before = (await harness.said(person)).length;
  await say(person, text);
  return until(`${text} is answered`, async () => (await harness.said(person))[before]);
}

/** Ada makes an invitation and gets its code and its link. */
async function invite(words: string): Promise<{ code: string; link: string; text: string }> {
  const text = await ask(1001, `/invite ${words}`);
  return {
    text,
    code: /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec(text)?.[0] ?? 'no code',
    link: /https:\S+/.exec(text)?.[0] ?? 'no link',
  };
}

const roleOf = async (person: number): Promise<string | null> => {
  const rows = await harness.rows<{ role: string }>('select role from users where user_key = $1', [String(person)]);
  return rows[0]?.role ?? null;
};

/** Everything that the tables hold of what was said and answered. */
const history = async (): Promise<string> => {
  const [row] = await harness.rows<{ all: string }>(`select concat(
    (select string_agg(envelope::text, ' ') from inbox), (select string_agg(body::text, ' ') from outbox),
    (select string_agg(body::text, ' ') from dead_letters)) as all`);
  return row?.all ?? '';
};

describe('an invitation', () => {
  test.each(['the code alone', "the link's /start", 'the code in small letters'])(
    '%s lets a stranger in once with the invited role, and notifies the inviter',
    async (how) => {
      const { code, link, text } = await invite('developer Max Planck');
      expect(text).toMatch(/^Invitation for Max Planck as a developer, valid once and for 24 h:/);
      expect(link).toBe(`https://t.me/signalbox_bot?start=${code}`);
      const sent = { 'the code alone': code, "the link's /start": `/start ${code}` }[how] ?? code.toLowerCase();
      expect(await ask(1010, sent)).toMatch(/^Welcome, Max\. You may speak here now, as a developer\./);
      await until('Ada is told', async () =>
        (await harness.said(1001)).includes(
          'Max (id 1010) used your invitation and may speak here now, as a developer.',
        ),
      );
      expect(await roleOf(1010)).toBe('developer');
      expect(await ask(1009, code)).toBe(
        'That code was used already, and each works once. Ask an admin for a new one.',
      );
      expect(await roleOf(1009)).toBeNull();
      expect(await ask(1010, `/start ${code}`)).toBe('You have used that code already: you are a developer.');
    },
  );

  test('is stored neither as a code nor as a hash that helps to guess it', async () => {
    const { code } = await invite('viewer');
    const wrong = `${code.startsWith('A') ? 'B' : 'A'}${code.slice(1)}`;
    await ask(1009, wrong);
    await ask(1002, `/start ${wrong}`);
    await ask(1009, code);
    await until('everything is delivered', async () => {
      const open = await harness.rows(`select 1 from outbox where status in ('pending', 'sending')`);
      return open.length === 0;
    });
    const kept = (await history()).toUpperCase();
    expect(kept).not.toContain(code);
    expect(kept).not.toContain(wrong);
    expect(kept).toContain('INVITATION AS A VIEWER, VALID ONCE');
    const stored = await harness.rows<{ row: string }>('select i::text as row from invitations i');
    expect(stored[0]?.row.toUpperCase()).not.toContain(code);
  });

  test('leaves no code in the database when its delivery fails for good', async () => {
    await harness.meet(1001);
    await harness.fault({ method: 'sendMessage', error: { code: 400, description: 'Bad Request: no' }, times: 2 });
    await say(1001, '/invite viewer');
    await until('it is a dead letter', async () => (await harness.rows('select 1 from dead_letters')).length === 1);
    expect(await history()).not.toMatch(/[0-9A-Z]{4}(-[0-9A-Z]{4}){2}/);
  });

  test('is refused with the reason when it has expired or its admin has lost the role', async () => {
    const old = await invite('viewer');
    await harness.rows(`update invitations set expires_at = now() - interval '1 second'`);
    expect(await ask(1009, old.code)).toBe('That code is no longer valid. Ask an admin for a new one.');
    const fresh = await invite('viewer');
    await harness.rows(`update users set role = 'operator' where user_key = '1001'`);
    expect(await ask(1009, fresh.code)).toBe('That code is no longer valid. Ask an admin for a new one.');
    expect(await roleOf(1009)).toBeNull();
  });

  test('promotes a known person, never demotes one, and is not used up when it would change nothing', async () => {
    const { code } = await invite('developer');
    expect(await ask(1001, code)).toMatch(/^You are an admin already, so the code was not used up\./);
    expect(await ask(1005, code)).toBe('Thank you, Eli. You are a developer now.');
    expect([await roleOf(1001), await roleOf(1005)]).toEqual(['admin', 'developer']);
  });

  test('lets in one of two people who send the code at the same time', async () => {
    const { code } = await invite('viewer');
    await Promise.all([say(1009, code), say(1010, code)]);
    await until('both are answered', async () => {
      const said = [...(await harness.said(1009)), ...(await harness.said(1010))];
      return said.length === 2;
    });
    expect([await roleOf(1009), await roleOf(1010)].filter(Boolean)).toEqual(['viewer']);
  });

  test('is created once when the command is delivered repeatedly', async () => {
    const update = {
      update_id: 4_000,
      message: {
        message_id: 4_000,
        date: Math.floor(Date.now() / 1_000),
        chat: { id: 1001, type: 'private' },
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        text: '/invite viewer',
      },
    };
    await harness.meet(1001);
    for (let time = 0; time < 3; time += 1) await harness.people.post('/api/updates', { update });
    await until('it is answered', async () => (await harness.said(1001)).length > 0);
    expect(await ask(1001, '/whoami')).toContain('admin');
    expect(await harness.rows('select 1 from invitations')).toHaveLength(1);
    expect(await harness.said(1001)).toHaveLength(2);
  });
});

describe('guessing a code', () => {
  test('after five wrong codes in an hour even the right code is refused', async () => {
    const { code } = await invite('viewer');
    for (let n = 0; n < 5; n += 1)
      expect(await ask(1009, `AAAA-BBBB-CC0${n}`)).toBe(
        'That code is not valid. Check that it is complete, or ask for a new one.',
      );
    expect(await ask(1009, code)).toMatch(/^Too many wrong codes\. Try again in \d+ minutes\./);
    expect(await roleOf(1009)).toBeNull();
    expect(await ask(1010, code)).toMatch(/^Welcome, Max/);
  });

  test('the notice about too many wrong codes is sent once, not after each further code', async () => {
    await harness.rows(`insert into code_tries (user_key) select '1009' from generate_series(1, 5)`);
    for (let n = 0; n < 4; n += 1) await say(1009, `AAAA-BBBB-CC0${n}`);
    await until('all are recorded', async () => {
      const rows = await harness.rows(`select 1 from inbox where user_key = '1009'`);
      return rows.length === 4;
    });
    await until('it is told', async () => (await harness.said(1009)).length > 0);
    expect(await ask(1001, '/whoami')).toContain('admin');
    expect(await harness.said(1009)).toHaveLength(1);
  });

  test('two hundred wrong codes in total lock all codes for an hour', async () => {
    const { code } = await invite('viewer');
    await harness.rows(`insert into code_tries (user_key) select n::text from generate_series(1, 200) n`);
    expect(await ask(1009, code)).toMatch(/^Too many wrong codes/);
    await harness.rows(`update code_tries set tried_at = now() - interval '61 minutes'`);
    expect(await ask(1009, code)).toMatch(/^Welcome, Zoe/);
  });

  test('a hyphenated word from a known person is not treated as a code', async () => {
    await harness.rows(`insert into code_tries (user_key) select '1002' from generate_series(1, 5)`);
    await say(1002, 'shop-blue-test');
    await until('it waits for a turn', async () => {
      const found = await harness.rows(
        `select 1 from inbox where envelope ->> 'text' = 'shop-blue-test' and outcome is null`,
      );
      return found.length === 1;
    });
  });
});

describe('in a group', () => {
  beforeEach(async () => {
    await harness.people.post('/api/rights', { by: 1001, status: 'administrator' });
  });

  test('an invitation code that is posted is voided, because everybody has seen it', async () => {
    const { code } = await invite('admin');
    await say(1002, `@signalbox_bot ${code}`, 'ops');
    await until('it is answered', async () => (await harness.said(1002, 'ops')).length === 1);
    expect((await harness.said(1002, 'ops'))[0]).toMatch(/^Everybody here has seen that code/);
    expect(await ask(1009, code)).toBe('That code is no longer valid. Ask an admin for a new one.');
    expect(await history()).not.toContain(code);
  });

  test('an owner code that is posted is voided, and a stranger who posts it gets no answer', async () => {
    await harness.rows(`update users set role = 'developer'`);
    const code = (await ensureOwnerCode(harness.databaseUrl)) ?? '';
    await say(1010, `@signalbox_bot ${code}`, 'ops');
    await until('it is recorded', async () => {
      const rows = await harness.rows(`select 1 from inbox where user_key = '1010' and outcome = 'refused'`);
      return rows.length === 1;
    });
    expect(await ask(1009, code)).toMatch(/^That code is not valid/);
    expect(await harness.said(1010, 'ops')).toEqual([]);
    expect(await history()).not.toContain(code);
  });

  test('/invite is refused, so that no code is shown there', async () => {
    await say(1001, '/invite@signalbox_bot viewer', 'ops');
    const [line] = await until('it is answered', async () => {
      const said = await harness.said(1001, 'ops');
      return said.length > 0 && said;
    });
    expect(line).toMatch(/^Write that to me in private/);
    expect(await harness.rows('select 1 from invitations')).toEqual([]);
  });
});

test('/invite with wrong arguments shows its usage, and suggests the most likely role', async () => {
  expect(await ask(1001, '/invite develper Max')).toBe(
    'Write it as /invite <role> [name]. Roles are viewer, developer, operator, admin. Did you mean developer?',
  );
  expect(await ask(1001, '/invite')).toMatch(/^Write it as/);
  expect(await ask(1002, '/invite viewer')).toBe(
    'Your role (developer) does not allow that; it needs the role admin. Ask an admin.',
  );
  expect(await harness.rows('select 1 from invitations')).toEqual([]);
});

test('a stranger is told how to get an invitation', async () => {
  expect(await ask(1009, 'hello')).toBe(
    `Hello Zoe, I only work for people I know. Ask an admin for an invitation (your id is ${PEOPLE.stranger}), and send me its code.`,
  );
});
