-- What is known of a gate besides its request: who asked by the word of the forge, and how the forge gets its answer. A gate of a pipeline
-- that polls has no target. The request itself is the event in `inbox`, and the decision is the action in `actions`.
create table gates (
  event_id    text primary key,
  action_id   text not null unique,        -- the action that people decide
  source      text not null,
  forge       text not null check (forge in ('github', 'gitlab')),
  once        text not null unique,        -- what makes it the same request when the forge sends it again
  repository  text not null,
  accounts    text[] not null,             -- accounts at the forge in whose name it asks, such as `github-583231`
  target      jsonb,                       -- what the answer has to name; null when nobody is to be answered
  facts       jsonb,                       -- what was read at the forge; null until it was read or given up
  received_at timestamptz not null default clock_timestamp(),
  ends_at     timestamptz not null,        -- when the forge stops waiting
  tries       int not null default 0,      -- how often the answer was sent
  next_at     timestamptz not null default clock_timestamp(),
  told_at     timestamptz,                 -- when the deciders were told that the forge did not take the answer
  answered_at timestamptz,                 -- when the forge took the answer, or it was given up
  answer      text                         -- `approved`, `rejected`, or why it was given up
);
create index gates_open on gates (next_at) where target is not null and answered_at is null;

-- How a gate was decided. Has the owner's rights, because the pool that answers forges may read neither requests for approval nor messages
-- of people. out: the status of the action, null before it is asked for; whether the turn that asks is over; who decided, by account and name.
create function gate_decision(event text) returns table (status text, is_over boolean, approval_id text, reason text, deciders text[], names text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with gate as (select g.event_id, g.action_id from gates g where g.event_id = event),
  request as (select p.* from gate join approvals p using (action_id) order by p.requested_at desc limit 1),
  decider (at, user_key, name) as (
    select v.voted_at, v.user_key, v.name from request r join approval_votes v using (approval_id)
    union all
    -- Who rejected is stored as it is shown: `Cleo (operator, id 1003)`
    select r.decided_at, u.user_key, u.name from request r
      join users u on u.user_key = coalesce(substring(r.decided_by from 'id ([[:alnum:]_:-]+)[)]$'), r.decided_by)
     where not exists (select from approval_votes v where v.approval_id = r.approval_id and v.user_key = u.user_key))
  select (select a.status from gate join actions a using (action_id)),
         coalesce((select i.outcome is not null from gate g join inbox i on i.channel = 'ingress' and i.bot = 'programs' and i.update_id = g.event_id), false),
         (select r.approval_id from request r), (select r.reason from request r),
         array(select d.user_key from decider d order by d.at), array(select d.name from decider d order by d.at)
$$;
revoke all on function gate_decision(text) from public;
grant execute on function gate_decision(text) to signalbox_app;
