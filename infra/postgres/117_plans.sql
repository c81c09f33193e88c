-- Plans that run: several calls of a person, in order, each an action of its own. A row is written in the transaction that settles the plan's
-- own action, and goes on in turns of the person's lane.
--
--   running ─┬─ the last step is done ──────────────────────────────▶ done
--            └─ a surprise: a step failed, its condition is not met,
--               what it stands for has changed, or /stop ────────────▶ stopped
create table plans (
  plan_id    text primary key references actions,
  user_key   text not null,
  chat_key   text not null,
  thread_id  text not null,
  steps      jsonb not null,              -- [{proposal, if, what, change, language}]: the frozen steps, and what people read about them
  outcomes   jsonb not null default '[]', -- [{state, say, isOutside, meets}]: what came of each step, in order
  waits_for  text,                        -- the action of the next step while its run goes on
  state      text not null default 'running' check (state in ('running', 'done', 'stopped')),
  stop_at    timestamptz,                 -- /stop: no further step begins
  started_at timestamptz not null default clock_timestamp(),
  ended_at   timestamptz,
  ended_in   text                         -- the first message of the turn that ended it: only that turn reports the end
);
create index plans_running on plans (user_key) where state = 'running';
create index plans_by_person on plans (user_key, started_at desc);
create trigger effect_noted after insert on plans for each row execute function effect_noted('plan_id');

-- What became of the run that action `id` started: its first run, or those that continue its deployment.
--   out: 'none' without a run, 'open' while it goes on, else done, failed or cancelled as people see it
create function work_of(id text) returns text language sql stable as $$
  with own as (
    select r.status, r.job, r.result, r.created_at from runs r
     where r.run_id = id or (r.payload ->> 'deploymentId' = id and r.job = 'deploy.run'))
  select coalesce(
    (select case d.state when 'succeeded' then 'done' when 'cancelled' then 'cancelled'
                         when 'failed' then 'failed' when 'rolled_back' then 'failed' else 'open' end
       from deployments d where d.deployment_id = id),
    (select 'open' from own where status in ('queued', 'running') limit 1),
    (select status from own order by created_at desc limit 1),
    'none')
$$;
