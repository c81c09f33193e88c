-- A message has a rich and a simple form with different parts, so a receipt also says in which form its parts went out.

-- The receipt of an outbox row: {"messageIds": [the channel's ids of the parts sent], "trying": the part whose fate is open, or null,
-- "simpleFrom": the part from which they are of the simple form, or null}.

-- As before, but what the receipt says besides stays; and progress that nobody has seen yet takes its turn among the replies (5):
-- as a new message below the answer it would stand there for good.
create or replace function chat_pick(c text, slot_ms int)
returns table (id bigint, user_key text, trace_id text, slot text, body jsonb, attempts int, age_ms bigint, receipt jsonb, ambiguous boolean, base jsonb)
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
  return query select o.id, o.user_key, o.trace_id, o.slot, o.body, o.attempts + 1,
    (extract(epoch from clock_timestamp() - o.created_at) * 1000)::bigint,
    coalesce(o.receipt, '{"messageIds": [], "trying": null}'::jsonb),
    o.receipt ->> 'trying' is not null,
    case when o.slot is not null then
      (select s.receipt from outbox s where s.chat_key = c and s.slot = o.slot and s.status = 'sent' order by s.id desc limit 1) end;
end $$;
