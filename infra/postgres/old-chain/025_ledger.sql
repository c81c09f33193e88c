-- Who is to blame for a worker that died, and what became of effects that nobody saw the end of.

-- Lanes: attempts count what a message itself did. A process that ends without giving its lanes back charges nobody at first: what was in
-- its slots is suspected, and a process takes one suspect at a time. Only a suspect whose process ends again is charged, so that each
-- death after the first is charged to one message.
--   holder:     the process that took the lane last; its name may come back with the next one, this does not
--   suspect:    taken after a process that ended in silence
--   lost_by:    that process
--   charged_by: processes whose silent end was counted. One that turns out to be alive takes that back.
alter table lanes add column holder text;
alter table lanes add column suspect boolean not null default false;
alter table lanes add column lost_by text;
alter table lanes add column charged_by text[] not null default '{}';

-- Called before `lane_begin`, in its transaction: decides whether process `h` may take the lane of `u`, and what the last run counts for.
--   out: ok = false when `h` has a suspect already; the lane is left as it was, and offered again at the next sweep
create function lane_isolate(u text, h text, out ok boolean, out is_suspect boolean) language plpgsql volatile as $$
declare l lanes%rowtype; is_silent boolean;
begin
  ok := true;
  is_suspect := false;
  select * into l from lanes x where x.user_key = u for update;
  -- Busy, backing off or unknown: lane_begin says so.
  if not found or (l.worker is not null and l.lease_until >= clock_timestamp()) or l.not_before > clock_timestamp() then return; end if;
  is_silent := l.worker is not null;
  is_suspect := is_silent and l.holder is distinct from h;
  if is_suspect then
    -- Of two lanes that this process asks for at once, one sees the other.
    perform pg_advisory_xact_lock(hashtextextended('suspect of ' || h, 0));
    if exists (select 1 from lanes x where x.holder = h and x.suspect and x.worker is not null
                                       and x.lease_until >= clock_timestamp() and x.user_key <> u) then
      update lanes x set woken_at = null where x.user_key = u;
      ok := false;
      return;
    end if;
  end if;
  update lanes x
     set holder = h, suspect = is_suspect, lost_by = case when is_suspect then l.holder end,
         -- lane_begin counts each begin; the one before is taken back here, unless it was that of a suspect.
         attempts = greatest(0, x.attempts - case when is_silent and not (is_suspect and l.suspect) then 1 else 0 end),
         charged_by = case when l.begun = 0 then '{}' when is_suspect and l.suspect then l.charged_by || coalesce(l.holder, '') else l.charged_by end
   where x.user_key = u;
end $$;

-- A process that lost a lane, or could not give it back, is alive after all: what was counted for its end is taken back.
create function lane_acquit(u text, h text) returns boolean language plpgsql volatile as $$
begin
  update lanes l
     set suspect = l.suspect and l.lost_by is distinct from h,
         attempts = greatest(0, l.attempts - case when h = any (l.charged_by) then 1 else 0 end),
         charged_by = array_remove(l.charged_by, h)
   where l.user_key = u and (l.lost_by = h or h = any (l.charged_by));
  return found;
end $$;

-- The ledger: an effect and the mark of its action are one transaction, so what became of it can be looked up by a key of our own. Once
-- an action is settled as failed, nothing can be written in its name any more: whoever looked it up and found nothing was right.
create table action_effects (
  action_id text primary key references actions,
  result    jsonb,                                -- what cannot be read again afterwards; else null
  at        timestamptz not null default clock_timestamp()
);

-- probe_at: when it is looked up next, while nobody knows what became of it; probes: how often that was done
alter table actions add column probe_at timestamptz not null default now();
alter table actions add column probes int not null default 0;
create index actions_unsettled on actions (probe_at) where status in ('started', 'unknown');

-- Marks what action `id` does in this transaction; ids that are no actions have no mark. Whoever settles by looking holds the row FOR UPDATE
-- meanwhile: this waits for that, and that for this.
create function effect_note(id text, what jsonb default null) returns void
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
declare s text;
begin
  select a.status into s from actions a where a.action_id = id for key share;
  if not found then return; end if;
  if s = 'failed' then raise exception 'action % was settled as failed before this', id using errcode = 'SB001'; end if;
  insert into action_effects (action_id, result) values (id, what) on conflict do nothing;
end $$;

-- The same by a column of the row that is written: the trigger's argument.
create function effect_noted() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare id text := to_jsonb(new) ->> tg_argv[0];
begin
  if id is not null and (tg_op = 'INSERT' or id is distinct from to_jsonb(old) ->> tg_argv[0]) then perform effect_note(id); end if;
  return null;
end $$;

create trigger effect_noted after insert on projects for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on project_changes for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on servers for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on port_allocations for each row execute function effect_noted('action_id');
create trigger release_noted after update of release_action_id on port_allocations for each row execute function effect_noted('release_action_id');
create trigger effect_noted after insert or update of action_id on service_variables for each row execute function effect_noted('action_id');
create trigger effect_noted after insert on deployments for each row execute function effect_noted('deployment_id');
create trigger cancel_noted after update of cancel_action on deployments for each row execute function effect_noted('cancel_action');
create trigger effect_noted after insert on runs for each row execute function effect_noted('run_id');
create trigger effect_noted after insert on inbox for each row when (new.kind = 'node') execute function effect_noted('update_id');
