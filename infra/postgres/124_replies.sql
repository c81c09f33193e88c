-- A person's reply to a question of a change of code is an answer that they were asked for, which costs no confirmation.

-- As before; each text has `isReply` besides: the tool carries an answer, and a change of this person asked its open question in this
-- conversation before they said this.
create or replace function own_words(t text, u text, c text, words boolean, name text, args jsonb)
returns table (private boolean, said jsonb) language sql stable as $$
  with last as (
    select max(a.started_at) as at from actions a
     where words and a.thread_id = t and a.user_key = u and a.tool = name and a.arguments = args and a.status in ('done', 'started', 'unknown')),
  question as (
    select min(e.updated_at) as at from engineering_changes e
     where words and name = 'answer_engineering' and e.user_key = u and e.thread_id = t and e.state = 'asking'),
  said as (
    select i.id, i.envelope ->> 'text' as said, jsonb_typeof(i.envelope -> 'button') = 'object' as by_button, typed_by_hand(i.envelope) as by_hand,
           exists (select from outbox o where o.id = (i.envelope -> 'button' ->> 'outboxId')::bigint
                    and not (o.body -> 'buttons' -> (i.envelope -> 'button' ->> 'index')::int) ? 'offer') as by_choice,
           i.received_at > coalesce((select at from last), '-infinity') as is_fresh,
           i.received_at > coalesce((select at from question), 'infinity') as is_reply
      from inbox i
     where words and i.user_key = u and i.kind = 'message' and not i.envelope ? 'borrowed'
       and (i.turn_id in (select n.turn_id from turns n where n.thread_id = t)
            or (i.outcome is null and i.chat_key = c and i.id <= (select l.taken_to from lanes l where l.user_key = u and l.begun > 0)))
     order by i.id desc limit 100)
  select exists (select 1 from actions a where a.thread_id = t and a.marks <> '{}' and 'private' = any (a.marks)),
         coalesce(jsonb_agg(jsonb_build_object('text', said, 'by', case when by_hand then 'typed' when by_choice then 'pressed' else 'offered' end,
             'fresh', is_fresh, 'isReply', is_reply) order by id desc)
           filter (where by_hand or by_button), '[]')
    from said
$$;
