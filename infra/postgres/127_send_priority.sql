-- A gateway knows the priority of what it sends: a message of the runtime overtakes the replies to other chats too.
set local check_function_bodies = off;

-- As before; the row's priority is returned too.
drop function chat_pick(text, int);
create function chat_pick(c text, slot_ms int)
returns table (id bigint, user_key text, trace_id text, slot text, priority smallint, body jsonb, attempts int, age_ms bigint, receipt jsonb, ambiguous boolean, base jsonb)
language plpgsql volatile as $$
declare o outbox%rowtype;
begin
  update outbox old set status = 'superseded'
   where old.chat_key = c and old.slot is not null and old.status in ('pending', 'sending')
     and exists (select 1 from outbox n where n.chat_key = c and n.slot = old.slot and n.id > old.id and n.status in ('pending', 'sending', 'sent'));
  select * into o from outbox x
   where x.chat_key = c and x.status in ('pending', 'sending')
     and (x.slot is null or not exists (
       select 1 from outbox s where s.chat_key = c and s.slot = x.slot and s.status = 'sent' and s.sent_at > clock_timestamp() - slot_ms * interval '1 ms'))
   order by case when x.slot is null or exists (
       select 1 from outbox s where s.chat_key = c and s.slot = x.slot and s.status = 'sent')
     then x.priority else least(x.priority, 5) end, x.id limit 1;
  if not found then return; end if;
  update outbox x
     set status = 'sending', attempts = x.attempts + 1,
         receipt = coalesce(x.receipt, '{}'::jsonb)
                   || jsonb_build_object('messageIds', coalesce(x.receipt -> 'messageIds', '[]'::jsonb),
                                         'trying', jsonb_array_length(coalesce(x.receipt -> 'messageIds', '[]'::jsonb)))
   where x.id = o.id;
  return query select o.id, o.user_key, o.trace_id, o.slot, o.priority, o.body, o.attempts + 1,
    (extract(epoch from clock_timestamp() - o.created_at) * 1000)::bigint,
    coalesce(o.receipt, '{"messageIds": [], "trying": null}'::jsonb),
    o.receipt ->> 'trying' is not null,
    case when o.slot is not null then
      (select s.receipt from outbox s where s.chat_key = c and s.slot = o.slot and s.status = 'sent' order by s.id desc limit 1) end;
end $$;
