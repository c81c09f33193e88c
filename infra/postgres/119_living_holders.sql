-- Leases of processes that are alive but busy. A process that holds lanes or chats keeps one connection, and on it a session lock on its id.
-- Postgres drops that lock with the connection, so a dead process loses its leases as soon as they run out. A process that is only busy, or
-- frozen, has more time: its work would be done twice, and each model call would be paid twice.
set local check_function_bodies = off;

-- True when a lease that runs to `until` may be taken from `holder`. Probing takes the lock in shared mode, so that probes never refuse each other.
create function lease_is_over(until timestamptz, holder text) returns boolean language plpgsql volatile as $$
begin
  if until >= clock_timestamp() then return false; end if;
  if until < clock_timestamp() - interval '10 seconds' then return true; end if;
  return pg_try_advisory_xact_lock_shared(hashtextextended('process ' || coalesce(holder, ''), 0));
end $$;

-- As before with two changes. A lane whose process lives is busy until `lease_is_over`. What a dead process held is taken all at once, because
-- there may be a thousand lanes; only what was held by a second one that died is charged for it, and is then tried one at a time.
--   out: is_suspect = it is tried alone
create or replace function lane_isolate(u text, h text, out ok boolean, out is_suspect boolean) language plpgsql volatile set enable_seqscan = off as $$
declare l lanes%rowtype; is_silent boolean; has_died boolean;
begin
  ok := true;
  is_suspect := false;
  select * into l from lanes x where x.user_key = u for update;
  -- Busy, backing off or unknown: lane_begin says so.
  if not found or (l.worker is not null and l.lease_until >= clock_timestamp()) or l.not_before > clock_timestamp() then return; end if;
  is_silent := l.worker is not null;
  has_died := is_silent and l.holder is distinct from h;
  if has_died and not lease_is_over(l.lease_until, l.holder) then
    ok := false;
    return;
  end if;
  is_suspect := has_died and l.suspect;
  if is_suspect then
    -- Of two lanes that this process asks for at once, one sees the other.
    perform pg_advisory_xact_lock(hashtextextended('suspect of ' || h, 0));
    if exists (select 1 from lanes x where x.holder = h and x.suspect and x.charged_by <> '{}' and x.worker is not null
                                       and x.lease_until >= clock_timestamp() and x.user_key <> u) then
      update lanes x set woken_at = null where x.user_key = u;
      ok := false;
      return;
    end if;
  end if;
  update lanes x
     set holder = h, suspect = has_died, lost_by = case when has_died then l.holder end,
         -- lane_begin counts each begin; the one before is taken back here, unless it was that of a suspect.
         attempts = greatest(0, x.attempts - case when is_silent and not is_suspect then 1 else 0 end),
         charged_by = case when l.begun = 0 then '{}' when is_suspect then l.charged_by || coalesce(l.holder, '') else l.charged_by end
   where x.user_key = u;
end $$;

-- As before, but it does not wake for a lane whose process lives.
create or replace function lane_sweep(quiet_ms int, max_lanes int) returns setof text language sql volatile as $$
  update lanes l set woken_at = clock_timestamp()
   where l.user_key in (
     select c.user_key
       from (select i.user_key, min(i.received_at) as oldest from inbox i where i.outcome is null group by i.user_key) o
       join lanes c on c.user_key = o.user_key
      where (c.not_before is null or c.not_before <= clock_timestamp())
        and (c.woken_at is null or c.woken_at < clock_timestamp() - quiet_ms * interval '1 ms')
        and (c.not_before is not null or o.oldest < clock_timestamp() - quiet_ms * interval '1 ms')
        and (c.worker is null or lease_is_over(c.lease_until, c.holder))
      order by o.oldest limit max_lanes for update of c skip locked)
  returning l.user_key
$$;
