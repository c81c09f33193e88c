-- What waits longest is served first, also in a backlog whose wake-ups stand in another order or were lost.
set local check_function_bodies = off;

-- Returns people with open messages whose lane a worker may take now. The person whose oldest open message is oldest comes first;
-- its inbox id is returned as well. Of the
-- suspects of dead processes only one is returned, because they are tried one at a time and must not keep the others back.
create function lane_oldest(max_lanes int) returns table (user_key text, oldest bigint) language sql volatile as $$
  select x.user_key, x.oldest
    from (select c.user_key, o.oldest, c.suspect and c.worker is not null as is_suspect,
                 row_number() over (partition by c.suspect and c.worker is not null order by o.oldest) as place
            from (select i.user_key, min(i.id) as oldest from inbox i where i.outcome is null group by i.user_key) o
            join lanes c on c.user_key = o.user_key
           where (c.not_before is null or c.not_before <= clock_timestamp())
             and (c.worker is null or lease_is_over(c.lease_until, c.holder))) x
   where not x.is_suspect or x.place = 1
   order by x.oldest limit max_lanes
$$;

-- True while a message has no outcome. A claim asks after it has waited for the lane: by then another worker may have answered the message.
create function inbox_is_open(message_id bigint) returns boolean language plpgsql volatile as $$
begin
  return exists (select 1 from inbox i where i.id = message_id and i.outcome is null);
end $$;

-- As before; the lanes are returned oldest first.
create or replace function lane_sweep(quiet_ms int, max_lanes int) returns setof text language sql volatile as $$
  with due as (
    select c.user_key, o.oldest
      from (select i.user_key, min(i.received_at) as oldest from inbox i where i.outcome is null group by i.user_key) o
      join lanes c on c.user_key = o.user_key
     where (c.not_before is null or c.not_before <= clock_timestamp())
       and (c.woken_at is null or c.woken_at < clock_timestamp() - quiet_ms * interval '1 ms')
       and (c.not_before is not null or o.oldest < clock_timestamp() - quiet_ms * interval '1 ms')
       and (c.worker is null or lease_is_over(c.lease_until, c.holder))
     order by o.oldest limit max_lanes for update of c skip locked),
  woken as (update lanes l set woken_at = clock_timestamp() from due where l.user_key = due.user_key)
  select user_key from due order by oldest
$$;

-- As before; the chats whose oldest message waits longest are taken, and are returned first.
create or replace function chat_sweep(channels text[], quiet_ms int, max_chats int) returns setof text language sql volatile as $$
  with due as (
    select c.chat_key, w.oldest
      from (select o.chat_key, min(o.created_at) as oldest from outbox o where o.status in ('pending', 'sending') group by o.chat_key) w
      join chats c on c.chat_key = w.chat_key
     where split_part(c.chat_key, ':', 1) = any (channels)
       and (c.sender is null or c.lease_until < clock_timestamp())
       and (c.not_before is null and w.oldest < clock_timestamp() - quiet_ms * interval '1 ms' or c.not_before <= clock_timestamp())
       and (c.woken_at is null or c.woken_at < clock_timestamp() - quiet_ms * interval '1 ms')
     order by w.oldest limit max_chats for update of c skip locked),
  woken as (update chats x set woken_at = clock_timestamp() from due where x.chat_key = due.chat_key)
  select chat_key from due order by oldest
$$;
