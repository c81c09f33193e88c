-- A freeze may end by itself, and tools set and lift it as the commands do.

-- True while a freeze is in force.
create function is_frozen() returns boolean language sql stable as $$
  select exists (select from settings s where s.key = 'freeze' and coalesce((s.value ->> 'until')::timestamptz > clock_timestamp(), true))
$$;

-- Sets a freeze; false when one is in force. A service without the right to change settings may set and lift only this one.
create function set_freeze(wanted jsonb) returns boolean language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  with put as (
    insert into settings as s (key, value) values ('freeze', wanted)
    on conflict (key) do update set value = excluded.value, updated_at = now()
      where (s.value ->> 'until')::timestamptz <= clock_timestamp() returning 1)
  select exists (select from put)
$$;

-- Lifts the freeze, and returns the one that was in force; null without one.
create function lift_freeze() returns jsonb language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  with gone as (delete from settings where key = 'freeze' returning value)
  select value from gone where coalesce((value ->> 'until')::timestamptz > clock_timestamp(), true)
$$;
revoke execute on function set_freeze(jsonb), lift_freeze() from public;

-- As in 126_change_budgets.sql; a freeze that has ended is none.
create or replace function governance_facts(u text, tool_name text, args jsonb, place_now jsonb)
returns table (frozen boolean, break_glass boolean, grant_id text, operators int, admins int, calls int, tokens bigint, cost_usd float8)
language sql stable as $$
  with used as (
    select (t.usage ->> 'inputTokens')::bigint + (t.usage ->> 'outputTokens')::bigint as tokens, (t.usage ->> 'costUsd')::float8 as cost_usd
      from turns t where t.user_key = any (identities_of(u)) and t.started_at > now() - interval '1 day'
    union all
    select s.input_tokens::bigint + s.output_tokens, s.cost_usd
      from engineering_changes c join engineering_steps s using (change_id)
     where c.user_key = any (identities_of(u)) and c.updated_at > now() - interval '1 day' and s.at > now() - interval '1 day')
  select is_frozen(),
         exists (select 1 from settings s where s.key = 'break_glass' and (s.value ->> 'until')::timestamptz > now()),
         (select g.grant_id from grants g
           where g.user_key = u and g.tool = tool_name and g.revoked_at is null and g.uses_left > 0 and g.expires_at > now()
             and g.match = args and g.place = place_now order by g.expires_at, g.grant_id limit 1),
         (select count(distinct x.person)::int from users x
           where x.person <> person_of(u) and not x.is_program and x.role in ('operator', 'admin')),
         (select count(distinct x.person)::int from users x where x.person <> person_of(u) and not x.is_program and x.role = 'admin'),
         (select count(*)::int from actions a where a.user_key = any (identities_of(u)) and a.started_at > now() - interval '1 hour'),
         (select coalesce(sum(x.tokens), 0)::bigint from used x),
         (select coalesce(sum(x.cost_usd), 0) from used x)
$$;

-- As in 133_pointless_requests.sql, with `gone`: the run of a gate was canceled or has ended at its forge. The end of a freeze counts, and a
-- freeze does not stop those of the freeze itself.
create or replace function lost_point_of(id text) returns text language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case
    when not exists (select from users u where u.user_key = any (persons_of(array[p.user_key]) || p.user_key)) then 'requester'
    when a.tool not in ('rollback_deploy', 'mute_service', 'freeze_changes', 'lift_freeze') and is_frozen()
         and exists (select from settings s where s.key = 'freeze' and s.updated_at > p.requested_at)
         and not exists (select from settings s where s.key = 'break_glass' and (s.value ->> 'until')::timestamptz > clock_timestamp()) then 'frozen'
    when a.arguments ->> 'project' is not null and a.tool <> 'update_project' and not exists (
         select from projects x where x.name = a.arguments ->> 'project' and not (x.status = 'archived' and x.updated_at > p.requested_at)) then 'project'
    when a.arguments ->> 'server' is not null and not exists (select from servers x where x.name = a.arguments ->> 'server') then 'server'
    when a.tool = 'trigger_deploy' and exists (
         select from deployments d where d.project = a.arguments ->> 'project' and d.environment = a.arguments ->> 'environment'
            and d.state = 'succeeded' and d.finished_at > p.requested_at and d.commit = a.proposal #>> '{action,resolved,commit}') then 'deployed'
    when a.tool = 'rollback_deploy' and exists (
         select from deployments d where d.project = a.arguments ->> 'project' and d.environment = a.arguments ->> 'environment'
            and d.state = 'succeeded' and d.finished_at > p.requested_at) then 'moved'
    when exists (select from gates g where g.action_id = a.action_id and g.answer = 'gone') then 'gone'
  end from approvals p join actions a using (action_id) where p.approval_id = id and p.status in ('pending', 'void')
$$;
