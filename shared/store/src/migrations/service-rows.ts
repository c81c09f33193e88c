import { JOBS, JobPool, type JobSpec } from '@signalbox/contracts/operations/jobs';
import { buildFaultCondition, FAULT_SUBJECT } from './fault-rows.ts';
import type { PluginTables } from './plugin-tables.ts';
import type { ServiceWithLogin } from './service-rights.ts';

/**
 * Rows of a table that a service may use, as SQL conditions: `own` may be changed and deleted, `becomes` limits their new values, `seen`
 * may be read too, `added` may be inserted. A missing condition equals `own`.
 */
interface Rows {
  readonly own: string;
  readonly becomes?: string;
  readonly seen?: string;
  readonly added?: string;
}

/** Tables with row policies. A service without an entry for such a table cannot access any row. */
const TABLES = ['runs', 'inbox', 'outbox', 'approvals', 'actions', 'dead_letters', 'incidents'] as const;
type BoundTable = (typeof TABLES)[number];

const ANY: Rows = { own: 'true' };
// Row policies apply in subqueries too, so `runs` are those of the service's own pool. A pending request has no run, except by its name.
const OWN_APPROVALS = `approvals.status = 'consumed' and exists (select from runs r where r.run_id = approvals.action_id)`;
/** The worker reads the envelope and not the columns, so the two must be equal. */
const AS_ITS_COLUMNS = `inbox.envelope @> jsonb_build_object('kind', inbox.kind, 'channel', inbox.channel, 'bot', inbox.bot,
    'updateId', inbox.update_id, 'userKey', inbox.user_key, 'chatKey', inbox.chat_key)`;
/** The end of a run, sent only to the person who waits for the run. */
const OWN_END = `inbox.channel = 'jobs' and inbox.bot = 'jobs' and inbox.kind = 'job-finished' and ${AS_ITS_COLUMNS}
  and exists (select from runs r where r.run_id = inbox.update_id and r.run_id = inbox.envelope ->> 'runId'
    and r.user_key = inbox.user_key and r.chat_key = inbox.chat_key and r.thread_id is not distinct from inbox.envelope ->> 'threadId')`;
const RUN_BY = '(select job_pool(r.job) from runs r where r.run_id = inbox.update_id)';
/** Messages of a run in its chat, and the approval cards of its action in their chats. */
const OWN_WORDS = `exists (select from runs r where r.run_id = split_part(outbox.key, '/', 1) and r.chat_key = outbox.chat_key
      and (outbox.slot is null or starts_with(outbox.slot, coalesce(r.payload ->> 'deploymentId', r.run_id) || '/')))
  or exists (select from approvals a where a.approval_id = outbox.slot and starts_with(outbox.key, a.approval_id || ':')
    and card_stands_in(a.approval_id, outbox.chat_key))`;
/** A message of text, with buttons that only decide about the request of its card: no code, file or receipt. */
const PLAIN = `not outbox.body ?| array['code', 'files', 'receipts', 'afterwards', 'onlyFor']
  and not jsonb_path_exists(outbox.body, '$.buttons[*].act ? (@.approvalId != $card)', jsonb_build_object('card', coalesce(outbox.slot, '')))`;
const POOL_WORDS: Rows = { own: OWN_WORDS, becomes: `(${OWN_WORDS}) and ${PLAIN}` };

/** An expired request, reported to its requester. */
const OWN_EXPIRY = `inbox.channel = 'system' and inbox.bot = 'approvals' and inbox.kind = 'decision' and ${AS_ITS_COLUMNS}
  and inbox.envelope ->> 'outcome' = 'expired'
  and exists (select from approvals a where inbox.update_id = a.approval_id || ':expired' and a.approval_id = inbox.envelope ->> 'approvalId'
    and a.status = 'expired' and a.user_key = inbox.user_key and a.chat_key = inbox.chat_key)`;
/** The task of a schedule at a due time, in exactly the words of the action that made it. */
const OWN_SCHEDULED = `inbox.channel = 'system' and inbox.bot = 'schedules' and inbox.kind = 'message' and ${AS_ITS_COLUMNS}
  and not inbox.envelope ?| array['borrowed', 'spoken', 'attachments', 'album', 'whisper', 'reads', 'gate'] and inbox.envelope -> 'button' = 'null'
  and exists (select from schedules s join schedule_runs r using (schedule_id) join actions a using (action_id)
    where inbox.update_id = s.schedule_id || ':' || (extract(epoch from r.due_at) * 1000)::bigint and r.outcome = 'ran' and s.kind = 'task'
      and s.user_key = inbox.user_key and s.chat_key = inbox.chat_key and s.task = inbox.envelope ->> 'text'
      and a.tool = 'create_schedule' and a.user_key = s.user_key and btrim(a.arguments ->> 'task') = s.task)`;
const ADMINS_CHAT = `exists (select from users u join inbox i using (user_key) where u.role = 'admin' and i.chat_key = outbox.chat_key
  and (i.envelope ->> 'chatKind' = 'private' or chat_root(i.chat_key) = private_chat(u.user_key)))`;
/** A message that consists of a stored audit checkpoint */
const CHECKPOINT = `select from audit_checkpoints c, audit_log l where outbox.key = 'audit:' || l.log_id || ':' || c.size
  and c.signed_at ~ '^[0-9TZ:.-]+$' and c.key_id ~ '^[0-9a-f]+$' and outbox.body ->> 'text' = format(
    E'Audit checkpoint of %2$s events.\\n\\x60\\x60\\x60json\\n{"logId":"%1$s","size":%2$s,"rootHash":"%3$s","chainHash":"%4$s","at":"%5$s","keyId":"%6$s","signature":"%7$s"}\\n\\x60\\x60\\x60',
    l.log_id, c.size, encode(c.root_hash, 'hex'), encode(c.chain_hash, 'hex'), c.signed_at, c.key_id,
    translate(encode(c.signature, 'base64'), E'\\n', ''))`;
/** Cards and reminders of pending requests, schedules, hand-overs, ends of conversations, faults for the admins, and audit checkpoints. */
const OWN_NEWS = `exists (select from approvals a where a.approval_id = split_part(outbox.key, ':', 1)
      and (outbox.slot is null or outbox.slot = a.approval_id)
      and (card_stands_in(a.approval_id, outbox.chat_key)
        or outbox.slot = a.approval_id and a.status = 'pending' and ${ADMINS_CHAT}))
  or starts_with(outbox.key, 'fault:') and outbox.slot is null and outbox.body -> 'buttons' = '[]' and ${ADMINS_CHAT}
    and exists (select from incidents n where n.incident_id::text = split_part(outbox.key, ':', 2) and n.waits_since is not null)
  or starts_with(outbox.key, 'expired:') and outbox.slot is null and exists (select from threads t
      where t.thread_id = substr(outbox.key, 9) and t.status = 'expired' and t.chat_key = outbox.chat_key and t.user_key = outbox.user_key)
  or starts_with(outbox.key, 'schedule:') and outbox.slot is null and outbox.body -> 'buttons' = '[]' and exists (select from schedules s
      where s.schedule_id::text = split_part(outbox.key, ':', 2) and s.chat_key = outbox.chat_key and s.user_key = outbox.user_key)
  or starts_with(outbox.key, 'handover:') and outbox.slot is null and outbox.body -> 'buttons' = '[]' and exists (select from rota_handovers h
      where h.rota = split_part(outbox.key, ':', 2) and outbox.user_key in (select unnest(identities_of(h.leaves) || identities_of(h.comes))))
  or starts_with(outbox.key, 'audit:') and outbox.slot is null and outbox.body -> 'buttons' = '[]' and exists (${CHECKPOINT})`;
/** A pending request, which may only become expired or void, with no person as decider. */
const ENDS_BY_ITSELF: Rows = {
  own: `approvals.status = 'pending'`,
  becomes: `approvals.status = 'pending' or approvals.decided_by is null and approvals.change is null
    and (approvals.status = 'expired' and approvals.expires_at <= clock_timestamp() or approvals.status = 'void' and (
      lost_point_of(approvals.approval_id) is not null or exists (
        select from chats c where c.chat_key = chat_root(approvals.chat_key) and c.parked_at is not null)))`,
  seen: 'true',
};
/** A waiting action, which may only end together with its approval request. */
const ENDS_WITH_REQUEST: Rows = {
  own: `actions.status = 'waiting'`,
  becomes: `actions.status in ('rejected', 'modified', 'expired', 'void')
    and exists (select from approvals a where a.action_id = actions.action_id and a.status = actions.status)`,
  seen: 'true',
};

const ROWS: Readonly<Record<ServiceWithLogin, Partial<Readonly<Record<BoundTable, Rows>>>>> = {
  // Writes messages, button presses and the ends of canceled runs into the inbox, on behalf of people.
  gateway: {
    runs: ANY,
    inbox: ANY,
    outbox: ANY,
    approvals: ANY,
    actions: ENDS_WITH_REQUEST,
    dead_letters: ANY,
    // Records the alarms of other programs, and who takes an incident
    incidents: { own: `${buildFaultCondition('gateway')} or starts_with(incidents.subject, 'alarm:')`, seen: 'true' },
  },
  worker: {
    runs: ANY,
    // Settles the messages of people, but adds only system messages
    inbox: {
      own: 'true',
      added: `inbox.channel in ('system', 'jobs') and inbox.kind in ('node', 'job-finished') and ${AS_ITS_COLUMNS}`,
    },
    outbox: ANY,
    // Requests approvals and uses approved requests; only the gateway writes who approved
    approvals: {
      own: `approvals.status in ('pending', 'approved', 'consumed', 'void')`,
      becomes: `approvals.status in ('pending', 'void') or approvals.status = 'consumed' and approvals.decided_by is not null`,
      seen: 'true',
    },
    actions: ANY,
    dead_letters: ANY,
    incidents: { own: 'false', seen: 'true' },
  },
  maintenance: {
    // Ends conversations without running work, in whatever pool the work ran
    runs: { ...runsOf('maintenance'), seen: 'true' },
    inbox: {
      own: 'true',
      added: `(${OWN_EXPIRY}) or (${OWN_SCHEDULED}) or (${OWN_END} and ${RUN_BY} = 'maintenance')`,
    },
    outbox: { own: 'true', becomes: `(${OWN_NEWS}) and ${PLAIN}` },
    approvals: ENDS_BY_ITSELF,
    actions: ENDS_WITH_REQUEST,
    dead_letters: { own: `dead_letters.source = 'job'` },
    // Delivers the news of other pools, and writes no news
    incidents: {
      own: `incidents.subject = '${FAULT_SUBJECT}' or incidents.news is not null`,
      becomes: `incidents.news is null`,
      added: buildFaultCondition('maintenance'),
      seen: 'true',
    },
  },
  agents: {
    runs: runsOf('agents'),
    inbox: { own: OWN_END },
    outbox: POOL_WORDS,
    approvals: { own: OWN_APPROVALS },
  },
  deploy: {
    // Fetches repositories and hands their runs on to the pool `analysis`. The requester of a deployment is notified of the runs that
    // continue it.
    runs: {
      ...runsOf('deploy', 'analysis'),
      becomes: `job_pool(runs.job) in ('deploy', 'analysis')
        and (runs.chat_key is null or run_is_heard(runs.run_id, runs.payload, runs.user_key, runs.chat_key))`,
    },
    // Sends news of probed services to the people who are responsible for them
    inbox: {
      own: `${OWN_END} or inbox.channel = 'system' and inbox.bot = 'incidents' and inbox.kind = 'incident' and ${AS_ITS_COLUMNS}`,
    },
    outbox: POOL_WORDS,
    // Also says on the card of a gate that its forge did not take the decision
    approvals: {
      own: `${OWN_APPROVALS} or approvals.status = 'consumed' and exists (select from gates g where g.action_id = approvals.action_id)`,
    },
    actions: ANY,
    incidents: { own: `incidents.subject <> '${FAULT_SUBJECT}'` },
  },
  analysis: {
    runs: runsOf('analysis'),
    inbox: { own: OWN_END },
    outbox: POOL_WORDS,
    approvals: { own: OWN_APPROVALS },
  },
};

/** Builds the statements that close all rows of these tables to everybody but the owner and the roles named in a policy. Idempotent. */
export function createRowSecuritySql(plugins: readonly PluginTables[]): string {
  return [...TABLES, ...plugins.flatMap(({ rows }) => Object.keys(rows))]
    .map(
      (table) => `do $$ begin
      if not (select relrowsecurity from pg_class where oid = 'public.${table}'::regclass) then
        alter table public.${table} enable row level security;
        create policy all_services on public.${table} to signalbox_app using (true) with check (true);
      end if;
    end $$`,
    )
    .join('; ');
}

/**
 * SQL function: true when a person may be notified of a deploy-pool run in a chat, because they already are or because they requested the
 * deployment there. It runs with the owner's rights, because a policy that reads its own table would recurse. Idempotent.
 */
export const RUN_RECIPIENT_FUNCTION = `create or replace function public.run_is_heard(id text, about jsonb, person text, chat text) returns boolean
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select exists (select from runs r where r.run_id in (id, about ->> 'deploymentId') and job_pool(r.job) in ('deploy', 'analysis')
                      and r.user_key = person and r.chat_key = chat)
        or exists (select from actions a join threads t using (thread_id) where a.action_id = coalesce(about ->> 'deploymentId', id)
                      and a.tool in ('trigger_deploy', 'rollback_deploy') and a.user_key = person and t.chat_key = chat) $$`;

/** Builds the statements that tell Postgres which pool runs each job, and which columns make a run due. Idempotent. */
export function createJobPoolSql(): string {
  const cases = JobPool.options.map((pool) => {
    const jobs = Object.entries(JOBS).flatMap(([job, spec]) => (spec.pool === pool ? [`'${job}'`] : []));
    return `when job in (${jobs.join(', ')}) then '${pool}'`;
  });
  const parts = Object.entries<JobSpec>(JOBS).flatMap(([job, { before }]) =>
    before ? [`when job = '${job}' and not payload ? '${before.as}' then '${before.job}'`] : [],
  );
  return `create or replace function public.job_pool(job text) returns text language sql immutable parallel safe as $$
    select case ${cases.join(' ')} end $$;
    create or replace function public.job_due(job text, payload jsonb) returns text language sql immutable parallel safe as $$
    select case ${parts.join(' ')} else job end $$`;
}

/** A row policy of one service for one table: its command and its conditions. */
export interface RowPolicy {
  readonly name: string;
  readonly table: string;
  readonly command: 'all' | 'select' | 'insert' | 'update';
  readonly conditions: string;
}

/** Lists exactly the row policies that a service needs. */
export function listRowPolicies(
  service: ServiceWithLogin,
  plugins: readonly PluginTables[] = [],
): readonly RowPolicy[] {
  const theirs = plugins
    .flatMap(({ rows }) => Object.entries(rows))
    .flatMap(([table, by]): readonly RowPolicy[] => {
      const rows = by[service];
      if (rows === undefined) return [];
      return [{ name: `${service}_own`, table, command: 'all', conditions: `using (${rows}) with check (${rows})` }];
    });
  const ours = TABLES.flatMap((table): readonly RowPolicy[] => {
    const rows = ROWS[service][table];
    if (rows === undefined) return [];
    const { own, becomes = own, seen, added } = rows;
    const policy = (name: string, command: RowPolicy['command'], conditions: string): RowPolicy => ({
      name: `${service}_${name}`,
      table,
      command,
      conditions,
    });
    const changed = `using (${own}) with check (${becomes})`;
    const visible = seen === undefined ? [] : [policy('seen', 'select', `using (${seen})`)];
    if (added === undefined) return [policy('own', 'all', changed), ...visible];
    return [
      policy('own', 'update', changed),
      policy('added', 'insert', `with check (${added})`),
      policy('seen', 'select', `using (${seen ?? own})`),
    ];
  });
  return [...ours, ...theirs];
}

function runsOf(...pools: readonly JobPool[]): Rows {
  return { own: `job_pool(runs.job) in (${pools.map((pool) => `'${pool}'`).join(', ')})` };
}
