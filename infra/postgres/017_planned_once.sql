-- What every governed action calls is planned once per connection and no longer with each call. What the functions do is the same.

-- They only read. A function that says so becomes a part of the prepared statement that calls it, and what that does not ask for is
-- not looked up.
alter function governance_facts(text, text, jsonb) stable;

-- As in 012_governance.sql, but it looks at marked actions alone: a long conversation has many, of which few are.
create index actions_marked on actions (thread_id, proposed_at) where marks <> '{}';
create or replace function thread_taint(t text) returns table (untrusted text[], private boolean) language sql stable as $$
  select coalesce((select array_agg(x.result) from (
           select a.result ->> 'result' as result from actions a
            where a.thread_id = t and a.marks <> '{}' and 'untrusted' = any (a.marks) and a.result is not null
            order by a.proposed_at desc limit 30) x), '{}'),
         exists (select 1 from actions a where a.thread_id = t and a.marks <> '{}' and 'private' = any (a.marks))
$$;

-- As in 011_audit.sql; plpgsql keeps the plans of its statements, which plain SQL before Postgres 18 does not.
create or replace function audit_append(events jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  with written as (
    insert into public.audit_events (kind, actor, thread_id, turn_id, action_id, approval_id, policy_version, data)
    select e ->> 'kind', e ->> 'actor', e ->> 'threadId', e ->> 'turnId', e ->> 'actionId', e ->> 'approvalId', e ->> 'policyVersion', e -> 'data'
      from jsonb_array_elements(events) with ordinality as given (e, n) order by n
    returning event_id)
  insert into public.audit_unsealed (event_id) select event_id from written;
end $$;
