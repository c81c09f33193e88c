-- Whether a call is in a person's own words is decided by value, from the messages below, and no longer by what their conversation has read.
-- The table thread_taints stays: a title or a fact that a model wrote in such a conversation is text from outside.
drop function thread_taint(text, text, text);

-- Reads what person `u` said in conversation `t` for a call (tool and arguments); messages of the running turn belong to chat `c`.
--   out: private: the conversation has read private data;
--        said: [{text, by: 'typed', 'pressed' or 'offered', fresh}], newest first. `pressed` is the value of a button; `offered` of one
--        that stands for a whole call, which it confirms itself. `fresh`: newer than the last time that the same call was carried out,
--        because an order counts once
-- Forwarded texts are nobody's own words. Without `words` the list stays empty, because only a call beside outside text needs it.
create function own_words(t text, u text, c text, words boolean, name text, args jsonb)
returns table (private boolean, said jsonb) language sql stable as $$
  with last as (
    select max(a.started_at) as at from actions a
     where words and a.thread_id = t and a.user_key = u and a.tool = name and a.arguments = args and a.status in ('done', 'started', 'unknown')),
  said as (
    select i.id, i.envelope ->> 'text' as said, jsonb_typeof(i.envelope -> 'button') = 'object' as by_button, typed_by_hand(i.envelope) as by_hand,
           exists (select from outbox o where o.id = (i.envelope -> 'button' ->> 'outboxId')::bigint
                    and not (o.body -> 'buttons' -> (i.envelope -> 'button' ->> 'index')::int) ? 'offer') as by_choice,
           i.received_at > coalesce((select at from last), '-infinity') as is_fresh
      from inbox i
     where words and i.user_key = u and i.kind = 'message' and not i.envelope ? 'borrowed'
       and (i.turn_id in (select n.turn_id from turns n where n.thread_id = t)
            or (i.outcome is null and i.chat_key = c and i.id <= (select l.taken_to from lanes l where l.user_key = u and l.begun > 0)))
     order by i.id desc limit 100)
  select exists (select 1 from actions a where a.thread_id = t and a.marks <> '{}' and 'private' = any (a.marks)),
         coalesce(jsonb_agg(jsonb_build_object('text', said, 'by', case when by_hand then 'typed' when by_choice then 'pressed' else 'offered' end, 'fresh', is_fresh) order by id desc)
           filter (where by_hand or by_button), '[]')
    from said
$$;
