import { JOBS, JobPool } from '@signalbox/contracts/operations/jobs';
import type { ServiceWithLogin } from './service-rights.ts';

/** Which rows of a table a service may add, change and see, as a condition of SQL; those that it may only see besides. */
interface Rows {
  readonly own: string;
  readonly seen?: string;
}

/** The tables with policies for rows: see infra/postgres/11_rights.sql. */
const TABLES = ['runs', 'inbox', 'outbox', 'approvals'] as const;
type BoundTable = (typeof TABLES)[number];

const ANY: Rows = { own: 'true' };
// A subquery sees what its service sees: `runs` are those of its pool.
const OWN_APPROVALS = 'exists (select from runs r where r.run_id = approvals.action_id)';
/** How a run ended, told to nobody but whoever waits for it. */
const OWN_END = `inbox.channel = 'jobs' and inbox.bot = 'jobs' and inbox.kind = 'job-finished'
  and exists (select from runs r where r.run_id = inbox.update_id and r.user_key = inbox.user_key)`;
/** What a run says in its chat, and the cards of whoever approved it, where they stand. */
const OWN_WORDS = `exists (select from runs r where r.run_id = split_part(outbox.key, '/', 1) and r.chat_key = outbox.chat_key)
  or exists (select from approvals a where a.approval_id = outbox.slot and starts_with(outbox.key, a.approval_id || ':')
    and card_stands_in(a.approval_id, outbox.chat_key))`;

const ROWS: Readonly<Record<ServiceWithLogin, Readonly<Record<BoundTable, Rows>>>> = {
  gateway: { runs: ANY, inbox: ANY, outbox: ANY, approvals: ANY },
  worker: { runs: ANY, inbox: ANY, outbox: ANY, approvals: ANY },
  // It ends conversations in which nothing runs any more, whoever ran it.
  maintenance: { runs: { ...runsOf('maintenance'), seen: 'true' }, inbox: ANY, outbox: ANY, approvals: ANY },
  agents: {
    runs: runsOf('agents'),
    inbox: { own: OWN_END },
    outbox: { own: OWN_WORDS },
    approvals: { own: OWN_APPROVALS },
  },
  deploy: {
    runs: runsOf('deploy'),
    // News of what it watches goes to whoever is responsible.
    inbox: { own: `${OWN_END} or inbox.channel = 'system' and inbox.bot = 'incidents' and inbox.kind = 'incident'` },
    outbox: { own: OWN_WORDS },
    approvals: { own: OWN_APPROVALS },
  },
};

/** The statement that tells Postgres which pool runs which job. Idempotent. */
export function jobPoolSql(): string {
  const cases = JobPool.options.map((pool) => {
    const jobs = Object.entries(JOBS).flatMap(([job, spec]) => (spec.pool === pool ? [`'${job}'`] : []));
    return `when job in (${jobs.join(', ')}) then '${pool}'`;
  });
  return `create or replace function public.job_pool(job text) returns text language sql immutable parallel safe as $$
    select case ${cases.join(' ')} end $$`;
}

/** A policy of one service for one table. */
export interface RowPolicy {
  readonly name: string;
  readonly table: string;
  readonly command: 'all' | 'select';
  readonly condition: string;
}

/** The policies that a service is to have, and no others. */
export function rowPoliciesOf(service: ServiceWithLogin): readonly RowPolicy[] {
  return TABLES.flatMap((table): readonly RowPolicy[] => {
    const { own, seen } = ROWS[service][table];
    const policy: RowPolicy = { name: `${service}_own`, table, command: 'all', condition: own };
    if (seen === undefined) return [policy];
    return [policy, { name: `${service}_seen`, table, command: 'select', condition: seen }];
  });
}

function runsOf(pool: JobPool): Rows {
  return { own: `job_pool(runs.job) = '${pool}'` };
}
