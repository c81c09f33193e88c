-- How people read: by eye or by ear, on which device. Another way of reading is an inbox row of the kind `mode`, in its place among the
-- messages.

-- Takes the lane of person `u` for worker `w` if it is free, and returns up to `max_messages` open inbox rows in order.
--   in:  lease_ms, idle_ms (a thread idle for longer is expired), the agent that answers where nobody chose one
--   out: no row when the lane is busy, backing off, or has nothing to do; else
--        epoch, attempts, begun, stop_before, messages, person {name, role} or null,
--        thread_id (null when the first message needs none), thread_new, expired {threadId, title} or null,
--        agent (whose thread it is, or would be), waiting = [{approvalId, what, messageId}] of requests that stand open in the first message's chat, or null
-- The leading messages of one chat form the turn; the caller leaves the others open. A decision, a node that runs again, and another way
-- of reading is a turn of its own. A conversation that waits for a decision is not idle. News of an incident opens a conversation, as a
-- message does, so that a person can answer it.
create or replace function lane_begin(u text, w text, lease_ms int, max_messages int, idle_ms bigint, usual text)
returns table (epoch bigint, attempts int, begun int, stop_before bigint, messages json, person json, thread_id text, thread_new boolean, expired json, waiting json,
               agent text)
language plpgsql volatile as $$
declare
  l lanes%rowtype; m json; top bigint; first_kind text; first_chat text; tid text; is_new boolean := false; gone json; idle boolean; opens boolean; agent_id text;
begin
  -- The row is locked before it is read. A plain conditional update skips, without waiting, a lane whose holder is just releasing it
  -- after it counted no more messages. A message that came in between would wait for the sweeper.
  select * into l from lanes x where x.user_key = u for update;
  if not found or (l.worker is not null and l.lease_until >= clock_timestamp()) or l.not_before > clock_timestamp() then return; end if;

  -- What belongs together is taken: the first messages of one chat. From now on an edit of them comes too late.
  select json_agg(json_build_object('id', o.id, 'envelope', o.envelope) order by o.id), max(o.id) filter (where o.leading)
    into m, top
    from (select x.id, x.envelope, bool_and(x.kind not in ('command', 'decision', 'incident', 'node', 'mode') and x.chat_key = x.first_chat) over (order by x.id) as leading
            from (select i.id, i.envelope, i.kind, i.chat_key, first_value(i.chat_key) over (order by i.id) as first_chat
                    from inbox i where i.user_key = u and i.outcome is null
                     and not exists (select 1 from inbox h where h.user_key = u and h.outcome is null
                                        and h.held_until > clock_timestamp() and h.id <= i.id)
                   order by i.id limit max_messages) x) o;
  if m is null then
    if l.worker is not null or l.begun > 0 then
      update lanes x set epoch = x.epoch + 1, worker = null, lease_until = null, attempts = 0, begun = 0 where x.user_key = u;
    end if;
    return;
  end if;
  update lanes x
     set epoch = x.epoch + 1, worker = w, lease_until = clock_timestamp() + lease_ms * interval '1 ms',
         attempts = x.attempts + 1, begun = x.begun + 1, taken_to = coalesce(top, 0)
   where x.user_key = u returning x.* into l;

  first_kind := m -> 0 -> 'envelope' ->> 'kind';
  first_chat := m -> 0 -> 'envelope' ->> 'chatKey';
  agent_id := agent_for(u, first_chat, (m -> 0 -> 'envelope')::jsonb, usual);
  opens := first_kind = 'message' or first_kind = 'incident' and m -> 0 -> 'envelope' ->> 'phase' = 'opened';
  select t.thread_id, t.last_active_at < clock_timestamp() - idle_ms * interval '1 ms' and not thread_waits(t.thread_id)
    into tid, idle
    from threads t where t.user_key = u and t.chat_key = first_chat and t.agent = agent_id and t.status = 'open';
  if tid is not null and idle and opens then
    update threads t set status = 'expired', awaiting = false, ended_at = now(), announced = true
     where t.thread_id = tid returning json_build_object('threadId', t.thread_id, 'title', t.title) into gone;
    tid := null;
  elsif tid is null and opens then
    -- It expired in silence: the next answer says so, once.
    update threads t set announced = true
     where t.thread_id = (select x.thread_id from threads x where x.user_key = u and x.chat_key = first_chat and x.agent = agent_id
                          order by x.n desc limit 1)
       and t.status = 'expired' and not t.announced
    returning json_build_object('threadId', t.thread_id, 'title', t.title) into gone;
  end if;
  if tid is null and opens then
    tid := thread_open(u, first_chat, agent_id);
    is_new := true;
  end if;

  return query select l.epoch, l.attempts, l.begun, l.stop_before, m,
    (select json_build_object('name', p.name, 'role', p.role) from users p where p.user_key = u), tid, is_new, gone,
    -- Requests whose card this person has before them in this chat.
    (select json_agg(r) from (
       select a.approval_id as "approvalId", a.card ->> 'what' as what, c.message_id as "messageId"
         from approvals a
         join lateral (select o.receipt -> 'messageIds' ->> 0 as message_id from outbox o
                        where o.chat_key = first_chat and o.slot = a.approval_id and o.status = 'sent' order by o.id desc limit 1) c on true
        where a.status = 'pending' order by a.requested_at limit 3) r),
    agent_id;
end $$;

-- Shows what a person writes on a page, in the transaction that admits it: above its answer, and in the words that are kept, without
-- secrets and codes; the mark of a code that proves who somebody is tells them nothing. An update is `<session>:<the page's id>`; what
-- follows a command in one message is a row of its own.
create or replace function web_echo() returns trigger language plpgsql as $$
declare id text := substring(new.update_id from '^[^:]*:([^:]+)');
begin
  perform web_show(new.chat_key, 'in.' || id || case when new.update_id ~ ':[^:]+:text$' then '.text' else '' end, null,
    jsonb_build_object('type', 'Message', 'props', jsonb_build_object('from', 'person', 'messageId', id, 'buttons', '[]'::jsonb,
      'text', coalesce(regexp_replace(new.envelope ->> 'text', 'secret:step-up-code-[0-9a-z]{8}', '••••••', 'g'), '/' || (new.envelope ->> 'command')))), null);
  return null;
end $$;
