-- When a forge was last asked whether the run of a gate still waits; null before the first time.
alter table gates add column looked_at timestamptz;

-- Adds `gone` to 133_pointless_requests.sql: the run of a gate was canceled or has ended at its forge.
create or replace function lost_point_of(id text) returns text language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case
    when not exists (select from users u where u.user_key = any (persons_of(array[p.user_key]) || p.user_key)) then 'requester'
    when a.tool not in ('rollback_deploy', 'mute_service')
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
