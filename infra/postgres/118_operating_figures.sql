-- Figures about the whole installation, for operators: counts, ages and sizes. It has the owner's rights, because no service may read all of
-- these rows; it returns no text of anybody, and no id or name of a person.
--   out: the name of a metric without its prefix, its labels, and its value. A known label that no row has comes as 0.
set local check_function_bodies = off; -- job_pool and job_due are made after the migrations

create function operating_figures() returns table (name text, labels jsonb, value float8)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with
  waiting as (select count(*) as n, min(received_at) as since from inbox where outcome is null),
  replies as (select count(*) as n, min(created_at) as since from outbox where status in ('pending', 'sending')),
  asked as (select by_requester, count(*) as n, min(requested_at) as since from approvals where status = 'pending' group by by_requester),
  work as (select job_pool(job_due(job, payload)) as pool, status, queued_at from runs where status in ('queued', 'running')),
  pools as (select unnest(array['maintenance', 'agents', 'deploy', 'analysis']) as pool),
  states as (select unnest(array['succeeded', 'failed', 'rolled_back', 'cancelled']) as outcome)
  select 'inbox_waiting_messages', '{}'::jsonb, n::float8 from waiting
  union all select 'inbox_oldest_seconds', '{}', coalesce(extract(epoch from clock_timestamp() - since), 0) from waiting
  union all select 'outbox_waiting_replies', '{}', n from replies
  union all select 'outbox_oldest_seconds', '{}', coalesce(extract(epoch from clock_timestamp() - since), 0) from replies
  union all select 'parked_chats', '{}', (select count(*) from chats where parked_at is not null)
  union all (select 'lanes_held', jsonb_build_object('worker', l.worker), count(*) filter (where l.lease_until >= clock_timestamp())
               from lanes l where l.worker is not null group by l.worker order by 3 desc limit 100)
  union all (select 'lanes_expired', jsonb_build_object('worker', l.worker), count(*) filter (where l.lease_until < clock_timestamp())
               from lanes l where l.worker is not null group by l.worker order by 3 desc limit 100)
  union all select 'dead_letters_open', jsonb_build_object('source', s.source), count(d.id)
              from unnest(array['inbound', 'outbound', 'job', 'stream']) as s (source)
              left join dead_letters d on d.source = s.source and d.resolved_at is null group by s.source
  union all select 'approvals_waiting', jsonb_build_object('kind', k.kind), coalesce(a.n, 0)
              from (values ('approval', false), ('confirmation', true)) as k (kind, own) left join asked a on a.by_requester = k.own
  union all select 'approvals_oldest_seconds', jsonb_build_object('kind', k.kind), coalesce(extract(epoch from clock_timestamp() - a.since), 0)
              from (values ('approval', false), ('confirmation', true)) as k (kind, own) left join asked a on a.by_requester = k.own
  union all select 'incidents_open', jsonb_build_object('about', k.about), count(i.incident_id)
              from (values ('signalbox', true), ('services', false)) as k (about, own)
              left join incidents i on i.closed_at is null and (i.subject = 'signalbox') = k.own group by k.about
  union all select 'runs_waiting', jsonb_build_object('pool', p.pool), count(w.pool)
              from pools p left join work w on w.pool = p.pool and w.status = 'queued' and w.queued_at <= clock_timestamp() group by p.pool
  union all select 'runs_oldest_waiting_seconds', jsonb_build_object('pool', p.pool),
                   coalesce(extract(epoch from clock_timestamp() - min(w.queued_at)), 0)
              from pools p left join work w on w.pool = p.pool and w.status = 'queued' and w.queued_at <= clock_timestamp() group by p.pool
  union all select 'runs_running', jsonb_build_object('pool', p.pool), count(w.pool)
              from pools p left join work w on w.pool = p.pool and w.status = 'running' group by p.pool
  union all select 'deployments_total', jsonb_build_object('outcome', s.outcome), count(d.deployment_id)
              from states s left join deployments d on d.state = s.outcome group by s.outcome
  union all select 'deployments_open', '{}',
                   (select count(*) from deployments where state not in ('succeeded', 'failed', 'rolled_back', 'cancelled'))
  union all select 'deployments_unknown', '{}', (select count(*) from deployments where state = 'unknown')
  union all select 'audit_unsealed_events', '{}', (select count(*) from (select from audit_unsealed limit 100000) u)
  union all select 'database_bytes', '{}', pg_database_size(current_database())
  union all (select 'table_bytes', jsonb_build_object('table', case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname),
                    pg_total_relation_size(c.oid)
               from pg_class c join pg_namespace n on n.oid = c.relnamespace
              where c.relkind = 'r' and n.nspname <> 'information_schema' and n.nspname not like 'pg\_%' order by 3 desc limit 150)
$$;
revoke all on function operating_figures() from public;
grant execute on function operating_figures() to signalbox_app;

-- A day of turns and an hour of actions are found without reading those of years: rows are added in the order of these columns.
create index turns_by_time on turns using brin (started_at);
create index actions_by_start on actions using brin (started_at);
