-- Why a pending request has lost its point, or null. Once it has, nobody can usefully decide about it:
--   requester  whoever asked has no role any more
--   frozen     a freeze began after the request, and nobody has broken the glass
--   project    its project was deleted or archived meanwhile
--   server     its server is no longer registered
--   deployed   the same commit was deployed there meanwhile
--   moved      another release was switched to meanwhile, and the request is to roll back what served before
-- Only the job service asks, which may read none of these tables.
create function lost_point_of(id text) returns text language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
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
  end from approvals p join actions a using (action_id) where p.approval_id = id and p.status in ('pending', 'void')
$$;
