-- What was given up because a chat refused us is sent when the chat is open again.

-- The channel lets us write to this chat and its topics again. What was given up since the last day goes out now, before all that is newer and
-- in its order; of what is older the chat is told how much it missed. Returns how many messages there are to send; again: 0.
drop function chat_unpark(text);
create function chat_unpark(c text) returns int language plpgsql volatile as $$
declare reopened int; missed int; last outbox%rowtype;
begin
  update chats x set parked_at = null, parked_reason = null where chat_root(x.chat_key) = chat_root(c) and x.parked_at is not null;
  if not found then return 0; end if;
  update outbox o set status = 'pending', attempts = 0, error = null, priority = 0
   where o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c))
     and o.status = 'undeliverable' and o.created_at > now() - interval '1 day';
  get diagnostics reopened = row_count;
  select count(*) into missed from outbox o join dead_letters d on d.source = 'outbound' and d.ref = o.id::text and d.resolved_at is null
   where o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c))
     and o.status = 'undeliverable' and o.slot is null;
  if missed > 0 then
    select o.* into last from outbox o
     where o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c)) and o.status = 'undeliverable' order by o.id desc limit 1;
    perform outbox_put(jsonb_build_array(jsonb_build_object(
      'key', 'missed:' || last.id, 'chatKey', chat_root(c), 'userKey', last.user_key, 'traceId', last.trace_id, 'priority', 0,
      'body', jsonb_strip_nulls(jsonb_build_object('text', '…', 'buttons', '[]'::jsonb, 'missed', missed, 'language', user_language(last.user_key))))));
  end if;
  -- Their letters are moved aside: should one be given up again, it gets another.
  update dead_letters d set resolved_at = coalesce(d.resolved_at, now()), id = d.id || '.' || n.next, ref = d.ref || '.' || n.next
    from outbox o, lateral (select 1 + count(*) as next from dead_letters x where x.source = 'outbound' and x.ref like o.id || '.%') n
   where d.source = 'outbound' and d.ref = o.id::text and o.status in ('pending', 'undeliverable')
     and o.chat_key in (select x.chat_key from chats x where chat_root(x.chat_key) = chat_root(c));
  return reopened + least(missed, 1);
end $$;

create index outbox_undeliverable on outbox (chat_key, id) where status = 'undeliverable';
