-- A chain whose job was cancelled, or given up for its time or its attempts, is over too, and so is the step that it was at.
create function chain_over() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update repository_agent_runs set status = 'stopped', problem = coalesce(new.error, new.status), finished_at = clock_timestamp()
   where run_id = new.run_id and status = 'running';
  update repository_runs set status = 'stopped', problem = coalesce(new.error, new.status), finished_at = clock_timestamp()
   where run_id = new.run_id and status = 'running';
  return null;
end $$;
create trigger chain_over after update of status on runs for each row
  when (new.job = 'repository.chain' and new.status in ('done', 'failed', 'cancelled')) execute function chain_over();

-- Those that are over already.
update runs set status = status where job = 'repository.chain' and status in ('done', 'failed', 'cancelled');
