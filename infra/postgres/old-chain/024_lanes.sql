-- What stands in the way of a lane for no reason of its own.

-- As in 019_taint.sql, but a failure has no result to compare with, and does not count among the newest results either.
create or replace function thread_taint(t text, u text, c text)
returns table (untrusted text[], private boolean, tainted boolean, typed text[], said text[]) language sql stable as $$
  select coalesce((select array_agg(x.result) from (
           select a.result ->> 'result' as result from actions a
            where a.thread_id = t and a.marks <> '{}' and 'untrusted' = any (a.marks) and a.result ->> 'result' is not null
            order by a.proposed_at desc limit 30) x), '{}'),
         exists (select 1 from actions a where a.thread_id = t and a.marks <> '{}' and 'private' = any (a.marks)),
         r.thread_id is not null,
         case when r.thread_id is null then '{}' else coalesce((select array_agg(x.text) from (
           select i.envelope ->> 'text' as text from inbox i
            where i.user_key = u and i.kind = 'message' and i.received_at > r.last_at and typed_by_hand(i.envelope)
              and (i.turn_id in (select n.turn_id from turns n where n.thread_id = t)
                   or (i.outcome is null and i.chat_key = c
                       and i.id <= (select l.taken_to from lanes l where l.user_key = u and l.begun > 0)))
            order by i.id desc limit 100) x), '{}') end,
         case when r.thread_id is null then '{}' else coalesce((select array_agg(x.text) from (
           select i.envelope ->> 'text' as text from inbox i
            where i.user_key = u and i.chat_key = c and i.kind = 'message' and not i.envelope ? 'borrowed' and not i.envelope ? 'attachments'
            order by i.id desc limit 50) x), '{}') end
    from (select 1) one left join thread_taints r on r.thread_id = t
$$;

-- Names are looked up by what a person wrote: as it stands (the primary key), without separators, or nearly so.
create index projects_by_bare_name on projects (replace(name, '-', ''));
create index projects_by_likeness on projects using gist (name gist_trgm_ops);
create index projects_newest on projects (created_at desc) where status <> 'archived';
create index servers_by_bare_name on servers (replace(name, '-', ''));
create index servers_by_likeness on servers using gist (name gist_trgm_ops);
create index servers_newest on servers (registered_at desc);

-- As in 002_lanes.sql, but the oldest first: of a backlog that is larger than one sweep nobody is left to the end.
create or replace function lane_sweep(quiet_ms int, max_lanes int) returns setof text language sql volatile as $$
  update lanes l set woken_at = clock_timestamp()
   where l.user_key in (
     select c.user_key
       from (select i.user_key, min(i.received_at) as oldest from inbox i where i.outcome is null group by i.user_key) o
       join lanes c on c.user_key = o.user_key
      where (c.worker is null or c.lease_until < clock_timestamp())
        and (c.not_before is null or c.not_before <= clock_timestamp())
        and (c.woken_at is null or c.woken_at < clock_timestamp() - quiet_ms * interval '1 ms')
        and (c.not_before is not null or o.oldest < clock_timestamp() - quiet_ms * interval '1 ms')
      order by o.oldest limit max_lanes for update of c skip locked)
  returning l.user_key
$$;
