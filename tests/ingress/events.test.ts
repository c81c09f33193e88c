import { grantUserRole, removeUser } from '@signalbox/store/people/users';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PEOPLE } from '../integration/gateway/harness.ts';
import { openTcpRelay } from '../support/tcp-relay.ts';
import { until } from '../support/until.ts';
import { openIngress, type IngressGateway } from './ingress-gateway.ts';
import { get, headersOf, nowSeconds, OTHER_SECRET, post, read, SECRET, tell } from './program.ts';
import { openReceiver } from './receiver.ts';

interface Row {
  readonly user_key: string;
  readonly chat_key: string;
  readonly update_id: string;
  readonly envelope: Readonly<Record<string, unknown>>;
}

describe('an event', () => {
  let ingress: IngressGateway;
  beforeAll(async () => void (ingress = await openIngress()));
  afterAll(() => ingress.close());

  const stored = (id: string): Promise<readonly Row[]> =>
    ingress.harness.rows<Row>('select * from inbox where update_id = $1', [id]);
  const inbox = async (): Promise<number> => (await ingress.harness.rows('select 1 from inbox')).length;

  test('is in the inbox once it was answered with 200, and is marked as untrusted text', async () => {
    const id = await tell(ingress.ci, { text: 'the build is red', conversation: 'builds' });
    expect(await stored(id)).toMatchObject([
      {
        user_key: 'ingress-ci',
        chat_key: 'ingress:ci/builds',
        envelope: { kind: 'message', text: 'the build is red', borrowed: 'bot', chatKind: 'private', name: 'CI' },
      },
    ]);
    expect(await read(ingress.ci, id)).toEqual({ id, status: 'waiting', reason: null, more: true, messages: [] });
  });

  test('without a conversation starts a new one, which later events can continue', async () => {
    const id = await tell(ingress.ci, { text: 'alone' });
    const after = await tell(ingress.ci, { text: 'after it', conversation: id });
    expect([...(await stored(id)), ...(await stored(after))].map(({ chat_key: chat }) => chat)).toEqual([
      `ingress:ci/${id}`,
      `ingress:ci/${id}`,
    ]);
  });

  test('of a source that acts for a person comes from a linked identity of that person', async () => {
    const id = await tell(ingress.alerts, { text: 'disk full' });
    expect(await stored(id)).toMatchObject([{ user_key: 'ingress-alerts' }]);
    expect(
      await ingress.harness.rows('select role, person, is_program from users where channel = $1 order by user_key', [
        'ingress',
      ]),
    ).toEqual([
      { role: 'admin', person: PEOPLE.admin, is_program: true },
      { role: 'developer', person: 'ingress-ci', is_program: true },
    ]);
  });

  test('that is sent again unchanged is stored once', async () => {
    const body = JSON.stringify({ text: 'replayed' });
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersOf(ingress.ci, body) },
      body,
    };
    const before = await inbox();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => fetch(`${ingress.ci.url}/webhook/ingress`, request)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    const ids = await Promise.all(answers.map(async (answer) => (await answer.json()) as { id: string }));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
    // The key is not signed: another one makes no other event of it.
    const again = await fetch(`${ingress.ci.url}/webhook/ingress`, {
      ...request,
      headers: { ...request.headers, 'idempotency-key': 'a-key-of-an-attacker' },
    });
    expect(await again.json()).toEqual({ id: ids[0]?.id, status: 'accepted' });
    expect(await inbox()).toBe(before + 1);
  });

  test('with an idempotency key keeps its id when it is signed again', async () => {
    const first = await tell(ingress.ci, { text: 'deployed' }, 'deploy-7');
    const second = await post(
      ingress.ci,
      { text: 'deployed' },
      {
        key: 'deploy-7',
        headers: headersOf(ingress.ci, JSON.stringify({ text: 'deployed' }), String(Number(nowSeconds()) - 5)),
      },
    );
    expect(await second.json()).toEqual({ id: first, status: 'accepted' });
    const inBody = { text: 'built', id: 'build-7' };
    const response = await post(ingress.ci, inBody, { key: null });
    const { id } = (await response.json()) as { id: string };
    const again = await post(ingress.ci, inBody, {
      key: null,
      headers: headersOf(ingress.ci, JSON.stringify(inBody), String(Number(nowSeconds()) - 5)),
    });
    expect(await again.json()).toEqual({ id, status: 'accepted' });
    expect(await stored(first)).toHaveLength(1);
    expect(await stored(id)).toHaveLength(1);
  });

  test('with the same text in the same second is a different event when its body has another id', async () => {
    const timestamp = nowSeconds();
    const ids = ['one', 'two'].map(async (name) => {
      const event = { text: 'tests failed', id: name };
      const headers = headersOf(ingress.ci, JSON.stringify(event), timestamp);
      const response = await post(ingress.ci, event, { key: null, headers });
      return ((await response.json()) as { id: string }).id;
    });
    expect(new Set(await Promise.all(ids)).size).toBe(2);
  });

  test('with a used idempotency key and another body is refused as a conflict, and changes nothing', async () => {
    const id = await tell(ingress.ci, { text: 'one' }, 'the-key');
    const before = await inbox();
    const other = await post(ingress.ci, { text: 'two' }, { key: 'the-key' });
    expect(other.status).toBe(409);
    expect(await other.json()).toEqual({
      error: `The key the-key was already used for the event ${id} with another body. Use a new key for a new event.`,
    });
    expect(await inbox()).toBe(before);
    expect(await stored(id)).toMatchObject([{ envelope: { text: 'one' } }]);
  });

  test('with the idempotency key of another source is a different event', async () => {
    const ids = [
      await tell(ingress.ci, { text: 'mine' }, 'shared-key'),
      await tell(ingress.alerts, { text: 'mine' }, 'shared-key'),
    ];
    expect(new Set(ids).size).toBe(2);
  });

  test('may reuse an idempotency key after a day', async () => {
    const id = await tell(ingress.ci, { text: 'nightly' }, 'nightly');
    await ingress.harness.rows(`update ingress_keys set claimed_at = claimed_at - interval '25 hours'`);
    expect(await tell(ingress.ci, { text: 'nightly, another body' }, 'nightly')).not.toBe(id);
  });

  test('that got an id before its gateway ended is stored when it is sent again', async () => {
    const id = await tell(ingress.ci, { text: 'once more' }, 'cut-off');
    await ingress.harness.rows('delete from inbox where update_id = $1', [id]);
    expect(await read(ingress.ci, id)).toMatchObject({ status: 'waiting', messages: [] });
    expect(await tell(ingress.ci, { text: 'once more' }, 'cut-off')).toBe(id);
    expect(await stored(id)).toHaveLength(1);
  });

  test('can be read only by its own source', async () => {
    const id = await tell(ingress.ci, { text: 'secret plans' });
    const answers = await Promise.all([
      get(ingress.alerts, id),
      get(ingress.ci, 'evt_00000000000000000000'),
      get(ingress.ci, 'evt_'),
      get(ingress.ci, "evt_0000000000000000000'"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect((await get({ ...ingress.ci, secret: OTHER_SECRET }, id)).status).toBe(401);
    expect((await get({ ...ingress.alerts, source: 'ci' }, id)).status).toBe(401);
  });

  test('with a command for people is refused for every program', async () => {
    const id = await tell(ingress.alerts, { text: `/deny ${PEOPLE.developer}` });
    await until(async () => (await read(ingress.alerts, id)).status === 'failed');
    expect(await read(ingress.alerts, id)).toMatchObject({
      reason: 'command of people',
      messages: [{ text: '/deny is a command for people. A program cannot use it.' }],
    });
    expect(await ingress.harness.rows('select role from users where user_key = $1', [PEOPLE.developer])).toHaveLength(
      1,
    );
  });

  test('cannot press a button of another source', async () => {
    const [row = 0] = await ingress.harness.say('ingress:alerts/x', [
      { text: 'Which one?', buttons: [{ label: 'This', value: 'this' }] },
    ]);
    const id = await tell(ingress.ci, { press: { message: `msg_${row}`, index: 0 } });
    expect(await read(ingress.ci, id)).toMatchObject({ status: 'failed', reason: 'button expired' });
    expect(await ingress.harness.rows('select pressed from outbox where id = $1', [row])).toEqual([{ pressed: null }]);
  });

  test('that presses a button sends the value of the button once, in the conversation of the button', async () => {
    const chat = 'ingress:ci/choices';
    const [row = 0] = await ingress.harness.say(chat, [
      { text: 'Which one?', buttons: [{ label: 'This', value: 'take this' }] },
    ]);
    const press = { press: { message: `msg_${row}`, index: 0 } };
    const id = await tell(ingress.ci, { ...press, id: 'first-press' });
    expect(await stored(id)).toMatchObject([{ chat_key: chat, envelope: { text: 'take this' } }]);
    const again = await tell(ingress.ci, { ...press, id: 'second-press' });
    expect(await read(ingress.ci, again)).toMatchObject({ status: 'failed', reason: 'button expired' });
  });
});

describe('a source', () => {
  let ingress: IngressGateway;
  beforeEach(async () => void (ingress = await openIngress({ settings: { INGRESS_BURST: '3' } })));
  afterEach(() => ingress.close());

  test('that sends too many events gets a retry time, and other sources are served', async () => {
    const statuses: number[] = [];
    // A window may end on the way; nobody gets twice the limit in two of them.
    for (let sent = 0; sent < 8; sent += 1) {
      const response = await post(ingress.ci, { text: `event ${sent}` });
      statuses.push(response.status);
      if (response.status !== 429) continue;
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
    expect((await post(ingress.alerts, { text: 'mine' })).status).toBe(200);
    // Who has no secret uses nothing up.
    for (let sent = 0; sent < 8; sent += 1)
      expect((await post({ ...ingress.alerts, secret: SECRET }, { text: 'x' })).status).toBe(401);
  });

  test('has one rate limit across all gateways', async () => {
    const other = await ingress.startAnother();
    const statuses: number[] = [];
    for (let sent = 0; sent < 8; sent += 1)
      statuses.push((await post(sent % 2 === 0 ? ingress.ci : other.ci, { text: `event ${sent}` })).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
  });

  test('is refused when its person lost their role, or its service account was made an admin or removed', async () => {
    const { pool } = ingress.harness;
    await grantUserRole(pool, { userKey: 'ingress-ci', channel: 'ingress', name: null, role: 'admin' });
    const answers = [await post(ingress.ci, { text: 'x' })];
    await removeUser(pool, 'ingress-ci', true);
    await removeUser(pool, PEOPLE.admin, true);
    answers.push(await post(ingress.alerts, { text: 'x' }), await post(ingress.ci, { text: 'x' }));
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(await answer.json()).toEqual({ error: 'This source no longer has a role. Ask an admin.' });
    }
    expect(await ingress.harness.rows('select 1 from inbox')).toEqual([]);
  });
});

test('during a rotation, the previous secret is accepted, and callbacks are signed with the new secret', async () => {
  const fresh = 'a-fresh-secret-of-the-source-ci_0123456789';
  const receiver = await openReceiver(fresh);
  const ingress = await openIngress({ ci: { secret: fresh, previousSecret: SECRET, callback: receiver.url } });
  try {
    await tell(ingress.ci, { text: '/help' });
    await tell({ ...ingress.ci, secret: fresh }, { text: '/help' });
    expect((await post({ ...ingress.ci, secret: OTHER_SECRET }, { text: '/help' })).status).toBe(401);
    await until(() => receiver.taken().length === 2);
    expect(receiver.received.map(({ isGenuine }) => isGenuine)).toEqual([true, true]);
  } finally {
    await ingress.close();
    await receiver.close();
  }
});

describe('two gateways', () => {
  let ingress: IngressGateway;
  beforeAll(async () => void (ingress = await openIngress()));
  afterAll(() => ingress.close());

  test('store one event once, whichever of them receives it, and each can read the events of the other', async () => {
    const other = await ingress.startAnother();
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        Promise.all([
          tell(ingress.ci, { text: `event ${n}` }, `twice-${n}`),
          tell(other.ci, { text: `event ${n}` }, `twice-${n}`),
        ]),
      ),
    );
    for (const [here, there] of ids) expect(here).toBe(there);
    expect(await ingress.harness.rows('select 1 from inbox')).toHaveLength(20);
    expect(await read(other.ci, ids[0]?.[0] ?? '')).toEqual(await read(ingress.ci, ids[0]?.[0] ?? ''));
  });

  test('store the same events in opposite order at the same time, and both confirm them', async () => {
    const other = await ingress.startAnother();
    // Each event takes a moment, so that the batches of both overlap.
    await ingress.harness.rows(`create function slow() returns trigger language plpgsql
      as 'begin perform pg_sleep(0.03); return new; end'`);
    await ingress.harness.rows('create trigger slow before insert on inbox for each row execute function slow()');
    const names = Array.from({ length: 10 }, (_, n) => `turned-${n}`);
    const [here, there] = await Promise.all([
      Promise.all(names.map((name) => tell(ingress.ci, { text: name }, name))),
      Promise.all(names.toReversed().map((name) => tell(other.ci, { text: name }, name))),
    ]);
    expect(there).toEqual(here.toReversed());
    await ingress.harness.rows('drop trigger slow on inbox');
    const { length } = await ingress.harness.rows(`select 1 from inbox where envelope ->> 'text' like 'turned-%'`);
    expect(length).toBe(names.length);
  });

  test('continue when one stops: an event without a response can be sent to the other', async () => {
    const other = await ingress.startAnother();
    await other.gateway.close();
    await expect(tell(other.ci, { text: 'moved' }, 'moved')).rejects.toThrow();
    expect(await tell(ingress.ci, { text: 'moved' }, 'moved')).toMatch(/^evt_/);
  });
});

test('the routes for events work at the same address as the routes of other channels', async () => {
  const ingress = await openIngress({ settings: { GATEWAY_CHANNELS: 'ingress,web' } });
  try {
    const id = await tell(ingress.ci, { text: '/whoami' });
    expect(await read(ingress.ci, id)).toMatchObject({ status: 'answered' });
    expect((await post({ ...ingress.ci, secret: OTHER_SECRET }, { text: 'x' })).status).toBe(401);
    expect((await fetch(`${ingress.ci.url}/`)).status).toBe(200);
  } finally {
    await ingress.close();
  }
});

test('an event is answered with 503 and a retry time while Postgres is away, and is accepted afterwards', async () => {
  const ingress = await openIngress();
  const database = new URL(ingress.harness.wiring.databaseUrl('gateway'));
  const relay = await openTcpRelay(Number(database.port));
  try {
    database.host = `127.0.0.1:${relay.port}`;
    const { ci } = await ingress.startAnother({ DATABASE_URL: database.href });
    relay.cut();
    const early = await post(ci, { text: 'patience' }, { key: 'patience' });
    expect(early.status).toBe(503);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    relay.mend();
    await until(async () => (await post(ci, { text: 'patience' }, { key: 'patience' })).status === 200);
    expect(await ingress.harness.rows('select 1 from inbox')).toHaveLength(1);
  } finally {
    relay.mend();
    await ingress.close();
    await relay.close();
  }
});

test('a started gateway is ready and accepts events at once, even when Postgres is slow', async () => {
  const ingress = await openIngress();
  const database = new URL(ingress.harness.wiring.databaseUrl('gateway'));
  const relay = await openTcpRelay(Number(database.port));
  try {
    relay.slow(50);
    database.host = `127.0.0.1:${relay.port}`;
    const { ci, gateway } = await ingress.startAnother({ DATABASE_URL: database.href });
    expect(await tell(ci, { text: 'hello' })).toMatch(/^evt_/);
    const ready = await fetch(`http://127.0.0.1:${gateway.gateway.probe.port}/readyz`);
    expect(await ready.text()).toBe('ready\n');
  } finally {
    await ingress.close();
    await relay.close();
  }
});
