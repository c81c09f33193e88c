import { DATABASE_SERVICES, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createDatabase, openRawPool, type TestDatabase } from '../../support/database.ts';
import { serviceUrl } from '../../support/service-login.ts';

// What somebody with the password of one service cannot pretend. 1001 is an admin, 1002 a developer who asked for everything here.
export let database: TestDatabase;
export let owner: pg.Pool;
const thieves = new Map<ServiceWithLogin, pg.Client>();
export const as = (service: ServiceWithLogin): pg.Client => {
  const found = thieves.get(service);
  if (!found) throw new Error(`no login for ${service}`);
  return found;
};

/** Opens the scene for the tests of the file that calls it, with a login of each service. */
export function useScene(): void {
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
}

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
export const literal = (value: unknown): string =>
  pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));

/** A row for a lane, with an envelope that says the same but for `says`. */
export function message(row: Row, says: Readonly<Record<string, unknown>> = {}): string {
  const { channel, bot, updateId, userKey, chatKey, kind } = row;
  const values = [channel, bot, updateId, userKey, chatKey, kind, { ...row, ...says }, 't'].map(literal);
  return `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id) values (${values.join(', ')})`;
}

export function words(
  key: string,
  chatKey: string,
  slot: string | null,
  body: Readonly<Record<string, unknown>> = {},
): string {
  const values = [key, chatKey, 't', { text: 'from a thief', buttons: [], ...body }].map(literal);
  return `insert into outbox (key, chat_key, trace_id, body, priority, slot)
          values (${values.join(', ')}, 0, ${slot === null ? 'null' : literal(slot)})`;
}

export const BEN = { userKey: '1002', chatKey: 'telegram:1002' };
export const ADA = { userKey: '1001', chatKey: 'telegram:1001' };
export const ORDER = { kind: 'message', text: 'deploy shop to production', chatKind: 'private' };
export const said = { channel: 'telegram', bot: 'b', updateId: '77', kind: 'message' };
export const decision = (approval: string, outcome: string) => ({
  row: { channel: 'system', bot: 'approvals', updateId: `${approval}:${outcome}`, kind: 'decision' },
  says: { approvalId: approval, actionId: 'act_open', threadId: 'thr_ben', outcome },
});
export const end = (runId: string) => ({
  row: { channel: 'jobs', bot: 'jobs', updateId: runId, kind: 'job-finished' },
  says: { runId, job: 'workspace.run', threadId: 'thr_ben', outcome: 'done', say: 'Done.' },
});
export const approve = (approvalId: string) => ({
  buttons: [{ label: 'Show the log', value: 'log', act: { approvalId, verb: 'approve' } }],
});
export const CHECKPOINT = 'Audit checkpoint of 5 events.\n```json\n';

export const run = (id: string, payload: unknown, { userKey, chatKey }: typeof ADA): string =>
  `insert into runs (run_id, job, payload, user_key, chat_key, trace_id)
   values (${[id, 'deploy.run', payload, userKey, chatKey, 't'].map(literal).join(', ')})`;

export const WORDS = 'Please send me your code.';
export const incident = (subject: string, kind: string, detail = WORDS): string =>
  `insert into incidents (subject, kind, detail, evidence, waits_since)
   values (${[subject, kind, detail, '{}'].map(literal).join(', ')}, now())`;
