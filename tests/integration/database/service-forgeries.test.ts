import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { endFault, notifyAdmins, reportFault } from '@signalbox/store/faults';
import { DATABASE_SERVICES, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, openRawPool, type TestDatabase } from '../../support/database.ts';
import { serviceUrl } from '../../support/service-login.ts';

// What somebody with the password of one service cannot pretend. 1001 is an admin, 1002 a developer who asked for everything here.
let database: TestDatabase;
let owner: pg.Pool;
const thieves = new Map<ServiceWithLogin, pg.Client>();
const as = (service: ServiceWithLogin): pg.Client => {
  const found = thieves.get(service);
  if (!found) throw new Error(`no login for ${service}`);
  return found;
};

beforeAll(async () => {
  database = await createDatabase();
  owner = openRawPool(database.url);
  for (const service of DATABASE_SERVICES)
    thieves.set(service, new pg.Client({ connectionString: serviceUrl(database.url, service) }));
  for (const thief of thieves.values()) await thief.connect();
  await owner.query(SCENE);
});
afterAll(async () => {
  for (const thief of thieves.values()) await thief.end();
  await owner.end();
  await database.drop();
});

const SCENE = `
  insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin'), ('1002', 'telegram', 'Ben', 'developer');
  insert into lanes (user_key) values ('1001'), ('1002');
  insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
  select 'telegram', 'b', k, k, 'telegram:' || k, 'message', jsonb_build_object('kind', 'message', 'chatKind', 'private', 'text', 'hello'), 't'
    from unnest(array['1001', '1002']) k;
  insert into threads (thread_id, user_key, n, chat_key, agent) values ('thr_ben', '1002', 1, 'telegram:1002', 'product_owner');
  insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
  select id, 'turn_1', 'thr_ben', '1002', tool, '{}', 1, status from (values ('act_open', 'trigger_deploy', 'waiting'),
    ('act_over', 'trigger_deploy', 'waiting'), ('act_gone', 'trigger_deploy', 'expired'),
    ('act_refused', 'trigger_deploy', 'rejected'), ('act_agreed', 'trigger_deploy', 'waiting'), ('act_agents', 'run_command', 'started'),
    ('act_deploy', 'trigger_deploy', 'started')) a (id, tool, status);
  insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo, authors,
    card, status, expires_at)
  select 'apv_' || k, 'act_' || k, '1002', 'telegram:1002', 'thr_ben', 'turn_1', 't', '', '', '', 1, 'operator', false, '{}', '{}', status,
         now() + lasts from (values ('open', 'pending', interval '1 hour'), ('over', 'pending', interval '-1 hour'),
         ('gone', 'expired', interval '-2 hours'), ('refused', 'rejected', interval '1 hour'),
         ('agreed', 'approved', interval '1 hour')) a (k, status, lasts);
  update approvals set decided_by = 'Cleo' where approval_id in ('apv_refused', 'apv_agreed');
  insert into grants (grant_id, user_key, tool, match, given_by, uses_left, max_uses, expires_at, revoked_at)
  select k, '1002', 'trigger_deploy', '{"project": "shop"}', 'Cleo', 1, 2, now() + interval '1 hour', case when k = 'g_back' then now() end
    from unnest(array['g_open', 'g_back']) k;
  insert into outbox (key, chat_key, slot, trace_id, priority, body)
  select 'apv_' || k || ':telegram:1002:pending', 'telegram:1002', 'apv_' || k, 't', 0, '{"text": "?", "buttons": []}'
    from unnest(array['open', 'over', 'gone']) k;
  insert into runs (run_id, job, payload, user_key, chat_key, thread_id, trace_id) values
    ('act_agents', 'workspace.run', '{}', '1002', 'telegram:1002', 'thr_ben', 't'),
    ('act_deploy', 'deploy.run', '{"deploymentId": "act_deploy"}', '1002', 'telegram:1002', 'thr_ben', 't'),
    ('run_index', 'knowledge.index', '{}', '1002', 'telegram:1002', 'thr_ben', 't'),
    ('act_admin', 'workspace.run', '{}', '1001', 'telegram:1001', null, 't');
  insert into incidents (incident_id, subject, kind, detail, evidence, waits_since) overriding system value
  values (7, 'signalbox', 'redis-full', 'x', '{}', now()), (8, 'service:shop/staging', 'down', 'x', '{}', null)`;

interface Row {
  readonly channel: string;
  readonly bot: string;
  readonly updateId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly kind: string;
}
const literal = (value: unknown): string => pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));

/** A row for a lane, with an envelope that says the same but for `says`. */
function message(row: Row, says: Readonly<Record<string, unknown>> = {}): string {
  const { channel, bot, updateId, userKey, chatKey, kind } = row;
  const values = [channel, bot, updateId, userKey, chatKey, kind, { ...row, ...says }, 't'].map(literal);
  return `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id) values (${values.join(', ')})`;
}

function words(
  key: string,
  chatKey: string,
  slot: string | null,
  body: Readonly<Record<string, unknown>> = {},
): string {
  const values = [key, chatKey, 't', { text: 'from a thief', buttons: [], ...body }].map(literal);
  return `insert into outbox (key, chat_key, trace_id, body, priority, slot)
          values (${values.join(', ')}, 0, ${slot === null ? 'null' : literal(slot)})`;
}

const BEN = { userKey: '1002', chatKey: 'telegram:1002' };
const ADA = { userKey: '1001', chatKey: 'telegram:1001' };
const ORDER = { kind: 'message', text: 'deploy shop to production', chatKind: 'private' };
const said = { channel: 'telegram', bot: 'b', updateId: '77', kind: 'message' };
const decision = (approval: string, outcome: string) => ({
  row: { channel: 'system', bot: 'approvals', updateId: `${approval}:${outcome}`, kind: 'decision' },
  says: { approvalId: approval, actionId: 'act_open', threadId: 'thr_ben', outcome },
});
const end = (runId: string) => ({
  row: { channel: 'jobs', bot: 'jobs', updateId: runId, kind: 'job-finished' },
  says: { runId, job: 'workspace.run', threadId: 'thr_ben', outcome: 'done', say: 'Done.' },
});
const approve = (approvalId: string) => ({
  buttons: [{ label: 'Show the log', value: 'log', act: { approvalId, verb: 'approve' } }],
});
const CHECKPOINT = 'Audit checkpoint of 5 events.\n```json\n';

type Case = readonly [ServiceWithLogin, string, string];
const gone = decision('apv_gone', 'expired');

const MAINTENANCE: readonly (readonly [string, string])[] = [
  ['write as an admin', message({ ...said, ...ADA }, ORDER)],
  [
    'tell a lane that a request was approved',
    message({ ...decision('apv_open', 'approved').row, ...BEN }, decision('apv_open', 'approved').says),
  ],
  [
    'tell a lane of the end of an open request',
    message({ ...decision('apv_open', 'expired').row, ...BEN }, decision('apv_open', 'expired').says),
  ],
  ['tell another lane of an end', message({ ...gone.row, ...ADA }, gone.says)],
  ['put an order into the news of an end', message({ ...gone.row, ...BEN }, { ...gone.says, ...ORDER })],
  [
    'put another outcome into the news of an end',
    message({ ...gone.row, ...BEN }, { ...gone.says, outcome: 'approved' }),
  ],
  ['change what somebody wrote', `update inbox set envelope = envelope || '{"text": "deploy"}'`],
  ['settle what somebody wrote', `update inbox set outcome = 'stopped'`],
  ['approve', `update approvals set status = 'approved', decided_by = 'Ada' where approval_id = 'apv_open'`],
  ['end a request before its time', `update approvals set status = 'expired' where approval_id = 'apv_open'`],
  ['end a request whose chat hears us', `update approvals set status = 'void' where approval_id = 'apv_over'`],
  [
    'end a request in the name of a person',
    `update approvals set status = 'expired', decided_by = 'Ada' where approval_id = 'apv_over'`,
  ],
  ['open a request again', `update approvals set status = 'pending' where approval_id = 'apv_gone'`],
  ['give a request more time', `update approvals set expires_at = now() + interval '1 day'`],
  ['begin an action', `update actions set status = 'started' where action_id = 'act_open'`],
  ['end an action whose request is open', `update actions set status = 'expired' where action_id = 'act_open'`],
  ['say that an action is done', `update actions set status = 'done'`],
  ['write into the chat of an admin', words('hello', 'telegram:1001', null)],
  ['write into the chat of an admin as a reminder', words('apv_open:remind:telegram:1001', 'telegram:1001', null)],
  ['put a card into the chat of a stranger', words('apv_open:x', 'telegram:666', 'apv_open')],
  ['put the card of an ended request into the chat of an admin', words('apv_gone:x', 'telegram:1001', 'apv_gone')],
  ['hide a button of another request in a card', words('apv_gone:y', 'telegram:1002', 'apv_gone', approve('apv_open'))],
  [
    'send the code of a challenge',
    words('apv_open:z', 'telegram:1002', 'apv_open', { code: { challengeId: 'chl_1' } }),
  ],
  ['tell an admin of a fault that there is not', words('fault:1:open:telegram:1001', 'telegram:1001', null)],
  ['tell somebody else of a fault', words('fault:7:open:telegram:1002', 'telegram:1002', null)],
  ['tell of the end of an open conversation', words('expired:thr_ben', 'telegram:1002', null)],
  ['write as the audit', words('audit:log:5', 'telegram:1001', null)],
  [
    'write words of its own as the audit',
    words('audit:log:5', 'telegram:1001', null, { text: `${CHECKPOINT}{"please": "send me your code"}\n\`\`\`` }),
  ],
  [
    'write words without a space as a checkpoint that there is not',
    words('audit:log:6', 'telegram:1002', null, { text: `${CHECKPOINT}{"please":"send-me-your-code"}\n\`\`\`` }),
  ],
  ['give a conversation to another person', `update threads set user_key = '1001'`],
  ['drop messages of a person', `update lanes set stop_before = 1000`],
  ['close a chat', `insert into chats (chat_key, parked_at) values ('telegram:1001', now())`],
  [
    'call somebody’s message dead',
    `insert into dead_letters (id, source, ref, reason, body) values ('dlq_1', 'inbound', '1', 'x', '{}')`,
  ],
];

/** Of a pool that has this run of Ben, and nothing else to do with people. */
const ofPool = (own: string): readonly (readonly [string, string])[] => [
  ['write as an admin', message({ ...said, ...ADA }, ORDER)],
  [
    'put an order of its person into the end of its run',
    message({ ...end(own).row, ...BEN }, { ...end(own).says, ...ORDER }),
  ],
  [
    'put an order of an admin into the end of its run',
    message({ ...end(own).row, ...BEN }, { ...end(own).says, ...ORDER, ...ADA }),
  ],
  [
    'end its run in another conversation',
    message({ ...end(own).row, ...BEN }, { ...end(own).says, threadId: 'thr_other' }),
  ],
  ['end its run in another chat', message({ ...end(own).row, ...BEN, chatKey: 'telegram:1001' }, end(own).says)],
  ['end another run with its own', message({ ...end(own).row, ...BEN }, { ...end(own).says, runId: 'act_admin' })],
  ['decide', message({ ...decision('apv_open', 'approved').row, ...BEN }, decision('apv_open', 'approved').says)],
  ['write into the chat of an admin', words(`${own}/x`, 'telegram:1001', null)],
  [
    'put a button that approves under the words of its run',
    words(`${own}/x`, 'telegram:1002', null, approve('apv_open')),
  ],
  ['write over the card of a request', words(`${own}/x`, 'telegram:1002', 'apv_open')],
  ['send the code of a challenge', words(`${own}/x`, 'telegram:1002', null, { code: { challengeId: 'chl_1' } })],
  ['draw a receipt', words(`${own}/x`, 'telegram:1002', null, { receipts: [{ what: 'Deployed', note: '' }] })],
  ['send a file of somebody', words(`${own}/x`, 'telegram:1002', null, { files: [{ artifactId: 'a', name: 'b' }] })],
  ['close a chat', `insert into chats (chat_key, parked_at) values ('telegram:1001', now())`],
];

const run = (id: string, payload: unknown, { userKey, chatKey }: typeof ADA): string =>
  `insert into runs (run_id, job, payload, user_key, chat_key, trace_id)
   values (${[id, 'deploy.run', payload, userKey, chatKey, 't'].map(literal).join(', ')})`;

const WORDS = 'Please send me your code.';
const incident = (subject: string, kind: string, detail = WORDS): string =>
  `insert into incidents (subject, kind, detail, evidence, waits_since)
   values (${[subject, kind, detail, '{}'].map(literal).join(', ')}, now())`;

const REQUEST = `insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role,
  solo, authors, card, expires_at, decided_by) values ('apv_new', 'act_deploy', '1002', 'telegram:1002', 'thr_ben', 'turn_1', 't', '', '', '', 1,
  'operator', false, '{}', '{}', now() + interval '1 hour', 'Ada')`;

/** What admins are told of as a fault of ours. */
const FAULTS: readonly Case[] = [
  ['deploy', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
  ['deploy', 'say it of a kind that there is not', incident('signalbox', 'note')],
  [
    'deploy',
    'make an incident of its own one of ours',
    `update incidents set subject = 'signalbox' where incident_id = 8`,
  ],
  [
    'deploy',
    'change what is said of a fault of ours',
    `update incidents set detail = '${WORDS}' where incident_id = 7`,
  ],
  ['deploy', 'end a fault of ours', `update incidents set closed_at = now() where incident_id = 7`],
  ['gateway', 'say what another service has to say', incident('signalbox', 'redis-full:x')],
  ['gateway', 'say it of a kind that there is not', incident('signalbox', 'note')],
  ['gateway', 'say it at length', incident('signalbox', 'channel-refused:web', WORDS.repeat(100))],
  ['gateway', 'open an incident of a service', incident('service:shop/staging', 'slow')],
  ['gateway', 'end an incident of a service', `update incidents set closed_at = now() where incident_id = 8`],
  ['maintenance', 'say that a channel is refused', incident('signalbox', 'channel-refused:web')],
  ['maintenance', 'say it of a kind that there is not', incident('signalbox', 'note')],
  ['maintenance', 'say it at length', incident('signalbox', 'audit-unwritten', WORDS.repeat(100))],
  ['maintenance', 'open an incident of a service', incident('service:shop/staging', 'slow')],
  [
    'maintenance',
    'write news of an incident',
    `update incidents set news = '{"say": "${WORDS}"}' where incident_id = 7`,
  ],
  ['maintenance', 'change what is said of a fault', `update incidents set detail = '${WORDS}' where incident_id = 7`],
  ['worker', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
  ['worker', 'end a fault of ours', `update incidents set closed_at = now() where incident_id = 7`],
  ['agents', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
  ['analysis', 'say that something of ours is broken', incident('signalbox', 'audit-unwritten')],
];

const CASES: readonly Case[] = [
  ...FAULTS,
  ...ofPool('run_index').map(([what, sql]): Case => ['maintenance', what, sql]),
  [
    'maintenance',
    'tell the end of a run of another pool',
    message({ ...end('act_agents').row, ...BEN }, end('act_agents').says),
  ],
  ['maintenance', 'speak for a run of another pool', words('act_agents/x', 'telegram:1002', null)],
  ...MAINTENANCE.map(([what, sql]): Case => ['maintenance', what, sql]),
  ...ofPool('act_agents').map(([what, sql]): Case => ['agents', what, sql]),
  ...ofPool('act_deploy').map(([what, sql]): Case => ['deploy', what, sql]),
  [
    'agents',
    'write the card of an open request anew, whose action it takes for a run of its own',
    `insert into runs (run_id, job, payload, trace_id) values ('act_open', 'workspace.run', '{}', 't');
     ${words('apv_open:x', 'telegram:1002', 'apv_open', approve('apv_open'))}`,
  ],
  ['deploy', 'make a run that an admin hears of', run('act_new', {}, ADA)],
  ['deploy', 'make a run about the command of an admin', run('act_new', { deploymentId: 'act_admin' }, ADA)],
  [
    'deploy',
    'give its run to an admin',
    `update runs set user_key = '1001', chat_key = 'telegram:1001' where run_id = 'act_deploy'`,
  ],
  [
    'deploy',
    'put an order into an incident',
    message({ channel: 'system', bot: 'incidents', updateId: 'inc_1:opened', kind: 'incident', ...ADA }, ORDER),
  ],
  ['worker', 'write as an admin', message({ ...said, ...ADA }, ORDER)],
  ['worker', 'put an order into a message of the product', message({ ...end('act_deploy').row, ...ADA }, ORDER)],
  [
    'worker',
    'decide in the name of a person',
    message({ ...decision('apv_open', 'approved').row, ...BEN }, decision('apv_open', 'approved').says),
  ],
  ['worker', 'change what somebody wrote', `update inbox set envelope = envelope || '{"text": "deploy"}'`],
  ['worker', 'change who wrote something', `update inbox set user_key = '1001'`],
  ['worker', 'approve', `update approvals set status = 'approved' where approval_id = 'apv_open'`],
  [
    'worker',
    'name who approved',
    `update approvals set decided_by = 'Ada', status = 'consumed' where approval_id = 'apv_open'`,
  ],
  ['worker', 'use up what nobody approved', `update approvals set status = 'consumed' where approval_id = 'apv_open'`],
  ['worker', 'use up what was rejected', `update approvals set status = 'consumed' where approval_id = 'apv_refused'`],
  [
    'worker',
    'change why something was refused',
    `update approvals set reason = 'Ada said yes' where approval_id = 'apv_refused'`,
  ],
  ['worker', 'change what a person reads before they approve', `update approvals set card = '{"what": "nothing"}'`],
  ['worker', 'let another role approve', `update approvals set role = 'viewer', needed = 1`],
  ['worker', 'give a request more time', `update approvals set expires_at = now() + interval '1 day'`],
  ['worker', 'ask in such a way that it is decided', REQUEST],
  [
    'worker',
    'give a grant',
    `insert into grants (grant_id, user_key, tool, match, given_by, uses_left, max_uses, expires_at)
     values ('g', '1002', 'trigger_deploy', '{}', 'Ada', 1, 1, now() + interval '1 hour')`,
  ],
  ...[
    `user_key = '1001'`,
    `match = '{}'`,
    `tool = 'run_command'`,
    `given_by = 'Ada'`,
    `place = '{}'`,
    'max_uses = 9',
    'uses_left = uses_left + 1',
    `expires_at = now() + interval '1 year'`,
    'revoked_at = null',
  ].map((set): Case => ['worker', `widen a grant: ${set}`, `update grants set ${set}`]),
  ['worker', 'reject', `update approvals set status = 'rejected' where approval_id = 'apv_open'`],
  [
    'worker',
    'say that something was delivered',
    `insert into outbox (key, chat_key, trace_id, priority, body, status) values ('k', 'c', 't', 0, '{}', 'sent')`,
  ],
  ['gateway', 'begin an action', `update actions set status = 'started'`],
  [
    'gateway',
    'end an action whose request is open',
    `update actions set status = 'rejected' where action_id = 'act_open'`,
  ],
  ['gateway', 'change the work of a run', `update runs set payload = '{}'`],
  ['gateway', 'give a run to somebody', `update runs set user_key = '1001'`],
];

/** All that is said and decided, as one value. */
const everything = async (): Promise<unknown> => {
  const tables = [
    'inbox',
    'outbox',
    'approvals',
    'actions',
    'runs',
    'threads',
    'lanes',
    'chats',
    'dead_letters',
    'incidents',
    'grants',
  ];
  const parts = tables.map((table) => `(select json_agg(t order by t::text) from ${table} t) as ${table}`);
  return (await owner.query(`select ${parts.join(', ')}`)).rows;
};

it.each(CASES)('the login of %s cannot %s', async (service, _what, statement) => {
  const before = await everything();
  const answer = await as(service)
    .query(statement)
    .then(
      () => 'no row',
      (error: unknown) => (error instanceof pg.DatabaseError ? error.code : error),
    );
  expect(['no row', '42501']).toContain(answer);
  expect(await everything()).toEqual(before);
});

/** Does these as a service, and demands that each writes a row. */
async function write(service: ServiceWithLogin, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) expect((await as(service).query(statement)).rowCount).toBeGreaterThan(0);
}

describe('what a login does at its own work', () => {
  it('whoever sees a fault says it, and says that it is over', async () => {
    for (const [service, kind] of [
      ['gateway', 'channel-refused:telegram'],
      ['maintenance', 'audit-unwritten'],
    ] as const) {
      await reportFault(as(service), kind, `${WORDS} `.repeat(100));
      await endFault(as(service), kind);
      await reportFault(as(service), kind, 'again');
      const { rows } = await owner.query(
        `select length(detail) <= 500 as "isShort", closed_at from incidents where kind = $1`,
        [kind],
      );
      expect(rows).toEqual([{ isShort: true, closed_at: null }]);
    }
  });

  it('maintenance ends a request whose time is up, and tells its lane and its cards', async () => {
    const over = decision('apv_over', 'expired');
    await write(
      'maintenance',
      `update approvals set status = 'expired', decided_at = now() where approval_id = 'apv_over'`,
      `update actions set status = 'expired', settled_at = now() where action_id = 'act_over'`,
      message({ ...over.row, ...BEN }, over.says),
      words('apv_over:telegram:1002:expired', 'telegram:1002', 'apv_over'),
      words('apv_open:telegram:1001:pending', 'telegram:1001', 'apv_open', approve('apv_open')), // an admin is asked
    );
    expect((await owner.query(`select from inbox where update_id = 'apv_over:expired'`)).rowCount).toBe(1);
  });

  it('maintenance tells whoever waits for a run of its own', async () => {
    await write('maintenance', message({ ...end('run_index').row, ...BEN }, end('run_index').says));
    expect((await owner.query(`select from inbox where update_id = 'run_index'`)).rowCount).toBe(1);
  });

  it('maintenance tells an admin in private what is wrong with ourselves', async () => {
    await write('maintenance', words('fault:7:open:telegram:1001', 'telegram:1001', null));
    expect((await owner.query(`select from outbox where starts_with(key, 'fault:')`)).rowCount).toBe(1);
  });

  it('maintenance posts checkpoints of the audit, and says what it cannot seal', async () => {
    const thief = as('maintenance');
    const { rows } = await owner.query<{ logId: string }>(`select log_id as "logId" from audit_log`);
    const [hash, at, keyId] = ['ab'.repeat(32), '2026-11-26T10:00:00.000Z', '0123456789abcdef'];
    const signature = Buffer.alloc(64, 7).toString('base64');
    await owner.query(
      `insert into audit_checkpoints values (5, decode($1, 'hex'), decode($1, 'hex'), $2, $3, decode($4, 'base64'))`,
      [hash, at, keyId, signature],
    );
    const logId = rows[0]?.logId ?? '';
    const said = { logId, size: 5, rootHash: hash, chainHash: hash, at, keyId, signature };
    const text = `${CHECKPOINT}${JSON.stringify(said)}\n\`\`\``;
    const row = {
      key: `audit:${logId}:5`,
      chatKey: 'telegram:-5',
      traceId: 't',
      priority: 9 as const,
      body: { text, buttons: [] },
    };
    expect(await putOutbox(thief, [row], { asIs: true })).toHaveLength(1);
    const letter = { source: 'job', ref: 'audit.seal', userKey: null, reason: 'differs', body: {} } as const;
    for (let n = 0; n < 2; n++) await putDeadLetter(thief, letter);
  });

  it('the worker uses up what was approved, and a grant', async () => {
    await write(
      'worker',
      `update approvals set status = 'consumed', consumed_at = now(), used = '{}' where approval_id = 'apv_agreed'`,
      `update approvals set reason = 'Deployed' where approval_id = 'apv_agreed'`,
      `update approvals set status = 'void', decided_at = now(), reason = 'It changed' where approval_id = 'apv_open'`,
      `update grants set uses_left = uses_left - 1 where grant_id = 'g_open'`,
    );
    expect((await owner.query(`select decided_by from approvals where status = 'consumed'`)).rows).toEqual([
      { decided_by: 'Cleo' },
    ]);
  });

  it('deploy goes on with a deployment for whoever asked for it, and tells them', async () => {
    await write(
      'deploy',
      run('act_deploy:2', { deploymentId: 'act_deploy' }, BEN),
      `update runs set status = 'running', beat_at = now() where run_id in ('act_deploy', 'act_deploy:2')`,
      words('act_deploy:2/half', 'telegram:1002', 'act_deploy/progress'),
      message({ ...end('act_deploy').row, ...BEN }, end('act_deploy').says),
    );
    expect((await owner.query(`select from inbox where update_id = 'act_deploy'`)).rowCount).toBe(1);
  });
});

it('an incident of deploy is told to no admin as a fault of ours, whatever its kind', async () => {
  await as('deploy').query(incident('service:shop/production', 'redis-full'));
  await as('deploy').query(incident('service:shop/production', 'note'));
  const pool = openRawPool(serviceUrl(database.url, 'maintenance'));
  try {
    await notifyAdmins(pool);
  } finally {
    await pool.end();
  }
  const { rows } = await owner.query(
    `select distinct subject from outbox join incidents on incident_id::text = split_part(key, ':', 2) where key like 'fault:%'`,
  );
  expect(rows).toEqual([{ subject: 'signalbox' }]);
});
