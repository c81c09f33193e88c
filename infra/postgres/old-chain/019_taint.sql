-- Text from outside in conversations, and what only its requester may decide.

-- A confirmation is an approval by whoever asked. Nobody is reminded of it, and nobody else sees it.
alter table approvals add column by_requester boolean not null default false;

-- Conversations that have read text from outside. It stays so for as long as the conversation lasts, however much is read after it: a
-- fact, written before the text is read, and not worked out from results. Only words that came after `last_at` may speak for a call.
create table thread_taints (
  thread_id text primary key,
  source    text not null,              -- the tool, or the kind of message, that read first
  first_at  timestamptz not null default clock_timestamp(),
  last_at   timestamptz not null default clock_timestamp()
);

create function taint_thread(t text, source_name text, at timestamptz) returns void language sql volatile as $$
  insert into thread_taints as x (thread_id, source, first_at, last_at) values (t, source_name, at, at)
  on conflict (thread_id) do update set last_at = greatest(x.last_at, excluded.last_at)
$$;

-- What was read before this table is not known in full, so every open conversation counts, and each that has a mark.
insert into thread_taints (thread_id, source)
select thread_id, 'before' from threads where status = 'open'
union select thread_id, 'before' from actions where 'untrusted' = any (marks)
on conflict do nothing;

-- Whether a person typed a message themselves: not forwarded or quoted, not beside a file, not on a button.
create function typed_by_hand(envelope jsonb) returns boolean language sql immutable as $$
  select coalesce(envelope -> 'button', 'null') = 'null' and not envelope ? 'borrowed' and not envelope ? 'attachments'
$$;

-- As in 017_planned_once.sql, and besides, of person `u` in chat `c`:
--   out: tainted: text from outside was read here; typed: what the person typed in this task since the newest of that, the newest
--        first; said: what they wrote or pressed in this chat lately
drop function thread_taint(text);
create function thread_taint(t text, u text, c text)
returns table (untrusted text[], private boolean, tainted boolean, typed text[], said text[]) language sql stable as $$
  select coalesce((select array_agg(x.result) from (
           select a.result ->> 'result' as result from actions a
            where a.thread_id = t and a.marks <> '{}' and 'untrusted' = any (a.marks) and a.result is not null
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
