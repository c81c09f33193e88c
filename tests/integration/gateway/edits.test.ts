import { claimLane, finishLaneTurn } from '@signalbox/store/turns/lanes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterEach(() => harness.close());

const OPTIONS = { worker: 'w1', leaseMs: 60_000, maxMessages: 10, idleMs: 60_000, agent: 'product_owner' };
const AGAIN = 'To change it, send it again as a new message.';

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly was: string | null;
  readonly outcome: string | null;
  readonly reason: string | null;
}
const inbox = (): Promise<readonly Row[]> =>
  harness.rows(
    `select id, kind, envelope ->> 'text' as text, envelope ->> 'was' as was, outcome, reason from inbox order by id`,
  );
const untilRows = (count: number): Promise<readonly Row[]> =>
  until(`the inbox has ${count} rows`, async () => {
    const rows = await inbox();
    return rows.length >= count && rows;
  });

/** Sends a text and answers the id of the message. */
async function send(text: string, chat?: 'ops'): Promise<number> {
  const before = (await inbox()).length;
  const { messageId } = await harness.people.post('/api/messages', { from: 1001, text, ...(chat ? { chat } : {}) });
  await untilRows(before + 1);
  return messageId;
}
const edit = (messageId: number, text: string, chat?: 'ops'): Promise<unknown> =>
  harness.people.post('/api/edits', { from: 1001, messageId, text, ...(chat ? { chat } : {}) });
const heard = (line: string): Promise<boolean> =>
  until(`she hears "${line}"`, async () => (await harness.said(1001)).includes(line));
/** A sign that everything before was admitted and delivered. */
async function whoami(): Promise<void> {
  const before = (await harness.said(1001)).length;
  await harness.people.post('/api/messages', { from: 1001, text: '/whoami' });
  await until('she is answered', async () => (await harness.said(1001)).length > before);
}

test('an edit of a waiting message changes its text and keeps its place in the queue', async () => {
  const first = await send('deploy shop');
  await send('and then list the projects');
  await edit(first, 'deploy blog');
  const rows = await untilRows(3);
  expect(rows.map((row) => [row.kind, row.text, row.outcome, row.reason])).toEqual([
    ['message', 'deploy blog', null, null],
    ['message', 'and then list the projects', null, null],
    ['edit', 'deploy blog', 'merged', 'edit'],
  ]);
  expect(rows[2]?.was).toBe('deploy shop');
  const begun = await claimLane(harness.pool, PEOPLE.admin, OPTIONS);
  expect(begun?.messages.map(({ envelope }) => (envelope.kind === 'message' ? envelope.text : ''))).toEqual([
    'deploy blog',
    'and then list the projects',
  ]);
  expect(await harness.said(1001)).toEqual([]);
});

test('an edit of a message that a turn is working on changes nothing, and is refused once with a line', async () => {
  const id = await send('deploy shop');
  await claimLane(harness.pool, PEOPLE.admin, OPTIONS);
  await edit(id, 'deploy blog');
  await heard(`I am already working on your original message. ${AGAIN}`);
  await edit(id, 'deploy forum');
  await edit(id, 'deploy market');
  const rows = await untilRows(4);
  expect(rows.map((row) => [row.text, row.reason])).toEqual([
    ['deploy shop', null],
    ['deploy blog', 'edit came too late'],
    ['deploy forum', 'edit came too late'],
    ['deploy market', 'edit came too late'],
  ]);
  await whoami();
  expect(await harness.said(1001)).toHaveLength(2);
  const [line] = await harness.people.messages(1001).then((all) => all.filter((one) => one.from.isBot));
  expect(line?.replyTo).toBe(id);
});

test('an edit of a message whose turn died is refused like an edit of a message in progress', async () => {
  const id = await send('deploy shop');
  await claimLane(harness.pool, PEOPLE.admin, { ...OPTIONS, leaseMs: 1 });
  await edit(id, 'deploy blog');
  await heard(`I am already working on your original message. ${AGAIN}`);
  const again = await claimLane(harness.pool, PEOPLE.admin, OPTIONS);
  expect(again?.messages[0]?.envelope).toMatchObject({ text: 'deploy shop' });
});

test('a message that waits behind a running turn can still be edited from another chat', async () => {
  await send('deploy shop');
  const id = await send('@signalbox_bot deploy forum', 'ops');
  const begun = await claimLane(harness.pool, PEOPLE.admin, OPTIONS);
  expect(begun?.messages).toHaveLength(2);
  await edit(id, '@signalbox_bot deploy blog', 'ops');
  const rows = await untilRows(3);
  expect(rows[1]).toMatchObject({ text: 'deploy blog', outcome: null });
});

test.each([
  ['answered', 'answered', `I have already answered your original message. ${AGAIN}`],
  ['stopped', 'stopped', 'That message was stopped, so its edit changes nothing. Send it again as a new message.'],
  [
    'dead-lettered',
    'failed',
    'I could not handle that message, and its edit changes nothing. Send it again as a new message.',
  ],
] as const)('an edit of a message that was %s is answered with that outcome', async (outcome, _, line) => {
  const id = await send('deploy shop');
  const begun = await claimLane(harness.pool, PEOPLE.admin, OPTIONS);
  if (!begun) throw new Error('nothing to begin');
  await finishLaneTurn(harness.pool, begun, {
    turn: null,
    outcomes: [{ id: begun.messages[0]?.id ?? 0, outcome, reason: null }],
    replies: [],
    thread: null,
  });
  await edit(id, 'deploy blog');
  await heard(line);
  expect((await inbox())[0]).toMatchObject({ text: 'deploy shop', outcome });
});

test('an edit that leaves the text unchanged, for example by adding a link preview, is ignored', async () => {
  const id = await send('see https://example.com');
  const update = {
    update_id: 9_000,
    edited_message: {
      message_id: id,
      date: 1_700_000_000,
      edit_date: 1_700_000_001,
      chat: { id: 1001, type: 'private' },
      from: { id: 1001, is_bot: false, first_name: 'Ada' },
      text: 'see https://example.com',
    },
  };
  await harness.rows(`update inbox set outcome = 'answered', settled_at = now()`);
  await harness.people.post('/api/updates', { update });
  const rows = await untilRows(2);
  expect(rows[1]).toMatchObject({ outcome: 'refused', reason: 'edit without new words' });
  await whoami();
  expect(await harness.said(1001)).toHaveLength(1);
});

test('an edit that turns a waiting message into a command leaves the message unchanged', async () => {
  const id = await send('deploy shop');
  await edit(id, '/stop');
  await heard(`Your original message is still waiting; I cannot add your edit. ${AGAIN}`);
  expect((await inbox())[0]).toMatchObject({ text: 'deploy shop', outcome: null });
});

test("an edit that adds a mention of the bot in a group becomes a message, and a stranger's edit gets no answer", async () => {
  const { messageId } = await harness.people.post('/api/messages', { from: 1001, text: 'lunch?', chat: 'ops' });
  await edit(messageId, '@signalbox_bot lunch?', 'ops');
  await harness.people
    .post('/api/messages', { from: 1009, text: 'hello' })
    .then(({ messageId: hello }) =>
      harness.people.post('/api/edits', { from: 1009, messageId: hello, text: 'hello there' }),
    );
  const rows = await untilRows(3);
  expect(rows.map((row) => row.reason).sort((a, b) => String(a).localeCompare(String(b)))).toEqual([
    null,
    'stranger',
    'stranger',
  ]);
  expect(rows).toContainEqual(expect.objectContaining({ kind: 'message', text: 'lunch?', outcome: null }));
  await whoami();
  expect(await harness.said(1001, 'ops')).toEqual([]);
  expect(await harness.said(1009)).toHaveLength(1);
});

test('an edit that Telegram delivers again late does not restore an older text', async () => {
  const id = await send('one');
  await edit(id, 'two');
  await edit(id, 'three');
  await untilRows(3);
  const [second] = await harness.rows<{ update_id: string }>(
    `select update_id from inbox where kind = 'edit' order by id limit 1`,
  );
  await harness.people.post('/api/updates', {
    update: {
      update_id: Number(second?.update_id),
      edited_message: {
        message_id: id,
        date: 1_700_000_000,
        chat: { id: 1001, type: 'private' },
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        text: 'two',
      },
    },
  });
  await whoami();
  expect((await inbox())[0]?.text).toBe('three');
});

test('an edit that corrects a mistyped invitation code lets its sender in', async () => {
  await harness.people.post('/api/messages', { from: 1001, text: '/invite viewer' });
  const code = await until(
    'the code is shown',
    async () => /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec((await harness.said(1001)).join(' '))?.[0],
  );
  const { messageId } = await harness.people.post('/api/messages', { from: 1009, text: `${code.slice(0, -1)}!` });
  await harness.people.post('/api/edits', { from: 1009, messageId, text: code });
  await until('she is in', async () => (await harness.said(1009)).some((text) => text.startsWith('Welcome, Zoe')));
});

/** Runs what happens while a turn is just being begun and nobody can see it yet; answers what the turn was given. */
async function whileBeginning(meanwhile: () => Promise<unknown>): Promise<string> {
  const client = await harness.pool.connect();
  try {
    await client.query('begin');
    const begun = await claimLane(client, PEOPLE.admin, OPTIONS);
    await meanwhile();
    await until('the gateway waits for the lane', async () => {
      const waiting = await harness.rows(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return waiting.length > 0;
    });
    await client.query('commit');
    const [message] = begun?.messages ?? [];
    return message?.envelope.kind === 'message' ? message.envelope.text : '';
  } finally {
    client.release();
  }
}

test('an edit that comes while a turn starts changes nothing, and is answered with a line', async () => {
  const id = await send('deploy shop');
  expect(await whileBeginning(() => edit(id, 'deploy blog'))).toBe('deploy shop');
  await heard(`I am already working on your original message. ${AGAIN}`);
  expect((await inbox())[0]).toMatchObject({ text: 'deploy shop', outcome: null });
});

test('a turn that starts during an edit uses the edited text', async () => {
  const id = await send('deploy shop');
  const client = await harness.pool.connect();
  try {
    await client.query('begin');
    const item = { channel: 't', bot: 't', updateId: '1', userKey: PEOPLE.admin, chatKey: 'telegram:1001' };
    const change = { messageId: String(id), text: 'deploy blog', kept: 'deploy blog' };
    await client.query('select * from inbox_edit($1::jsonb)', [JSON.stringify({ ...item, edit: change })]);
    const beginning = claimLane(harness.pool, PEOPLE.admin, OPTIONS);
    await until('the turn waits for the lane', async () => {
      const waiting = await harness.rows(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return waiting.length > 0;
    });
    await client.query('commit');
    expect((await beginning)?.messages[0]?.envelope).toMatchObject({ text: 'deploy blog' });
  } finally {
    client.release();
  }
});

test('an answer to a deleted message is sent without a reply reference', async () => {
  await harness.rows(`select * from outbox_put($1::jsonb)`, [
    JSON.stringify([
      {
        key: 'test:deleted',
        chatKey: 'telegram:-2001',
        userKey: PEOPLE.admin,
        threadId: null,
        turnId: null,
        traceId: 'trc',
        priority: 5,
        slot: null,
        body: { text: 'the answer', buttons: [], replyTo: '987654' },
      },
    ]),
  ]);
  await until('it is there', async () => (await harness.said(1001, 'ops')).includes('the answer'), 15_000);
  const [call] = await harness.calls('sendMessage');
  expect(call?.params['reply_parameters']).toMatchObject({ message_id: 987654, allow_sending_without_reply: true });
});

test('a message that is edited into a quotation is nobody’s own words, and its own again after the next edit', async () => {
  const id = await send('list the projects');
  const now = Math.floor(Date.now() / 1_000);
  const message = {
    message_id: id,
    date: now - 30,
    edit_date: now,
    chat: { id: 1001, type: 'private' },
    from: { id: 1001, is_bot: false, first_name: 'Ada' },
  };
  const change = async (text: string, entities: readonly object[]): Promise<unknown> => {
    await harness.people.post('/api/updates', { update: { edited_message: { ...message, text, entities } } });
    return until('the edit is admitted', async () => {
      const rows = await harness.rows<{ text: string; whose: string | null; own: boolean }>(
        `select envelope ->> 'text' as text, envelope ->> 'borrowed' as whose, typed_by_hand(envelope) as own
           from inbox where kind = 'message'`,
      );
      return rows[0]?.text === text && rows[0];
    });
  };
  const quotation = [{ type: 'blockquote', offset: 0, length: 11 }];
  expect(await change('deploy shop', quotation)).toMatchObject({ whose: 'quote', own: false });
  expect(await change('deploy blog', [])).toMatchObject({ whose: null, own: true });
});
