-- A gateway sweeps the chats of the channels that it opened: nobody reads the wake-ups of the others.
drop function chat_sweep(int, int);
create function chat_sweep(channels text[], quiet_ms int, max_chats int) returns setof text language sql volatile as $$
  update chats x set woken_at = clock_timestamp()
   where x.chat_key in (
     select c.chat_key
       from (select o.chat_key, min(o.created_at) as oldest from outbox o where o.status in ('pending', 'sending') group by o.chat_key) w
       join chats c on c.chat_key = w.chat_key
      where split_part(c.chat_key, ':', 1) = any (channels)
        and (c.sender is null or c.lease_until < clock_timestamp())
        and (c.not_before is null and w.oldest < clock_timestamp() - quiet_ms * interval '1 ms' or c.not_before <= clock_timestamp())
        and (c.woken_at is null or c.woken_at < clock_timestamp() - quiet_ms * interval '1 ms')
      limit max_chats for update of c skip locked)
  returning x.chat_key
$$;
