-- Lanes: the worker that holds a person's lane handles their messages one at a time, in order; a message goes to one agent. All functions are
-- VOLATILE on purpose, so that each statement in them sees what committed before it began. In one statement, an UPDATE that waited for the
-- finishing holder would still read the inbox with its old snapshot and handle a message twice.
--
-- The queue functions turn sequential scans off. Postgres plans their statements once per connection, while a table is small, and would keep
-- that plan when a burst of messages makes the table grow.
set local check_function_bodies = off;

-- Runs before `lane_begin`, in its transaction: decides whether process `h` may take the lane of `u`, and charges the last run.
--   out: ok = false when `h` has a suspect already; the lane stays as it is, and the next sweep offers it again
create function lane_isolate(u text, h text, out ok boolean, out is_suspect boolean) language plpgsql volatile set enable_seqscan = off as $$
declare l lanes%rowtype; is_silent boolean;
begin
  ok := true;
  is_suspect := false;
  select * into l from lanes x where x.user_key = u for update;
  -- Busy, backing off or unknown: lane_begin says so.
  if not found or (l.worker is not null and l.lease_until >= clock_timestamp()) or l.not_before > clock_timestamp() then return; end if;
  is_silent := l.worker is not null;
  is_suspect := is_silent and l.holder is distinct from h;
  if is_suspect then
    -- Of two lanes that this process asks for at once, one sees the other.
    perform pg_advisory_xact_lock(hashtextextended('suspect of ' || h, 0));
    if exists (select 1 from lanes x where x.holder = h and x.suspect and x.worker is not null
                                       and x.lease_until >= clock_timestamp() and x.user_key <> u) then
      update lanes x set woken_at = null where x.user_key = u;
      ok := false;
      return;
    end if;
  end if;
  update lanes x
     set holder = h, suspect = is_suspect, lost_by = case when is_suspect then l.holder end,
         -- lane_begin counts each begin; the one before is taken back here, unless it was that of a suspect.
         attempts = greatest(0, x.attempts - case when is_silent and not (is_suspect and l.suspect) then 1 else 0 end),
         charged_by = case when l.begun = 0 then '{}' when is_suspect and l.suspect then l.charged_by || coalesce(l.holder, '') else l.charged_by end
   where x.user_key = u;
end $$;

-- Takes the lane of person `u` for worker `w` if it is free, and returns up to `max_messages` open inbox rows in order.
--   in:  lease_ms, idle_ms (a thread idle for longer is expired), the agent that answers where nobody chose one
--   out: no row when the lane is busy, backing off, or has nothing to do; else
--        epoch, attempts, begun, stop_before, messages, person {name, role} or null,
--        thread_id (null when the first message needs none), thread_new, expired {threadId, title} or null,
--        agent (whose thread it is, or would be), waiting = [{approvalId, what, messageId}] of requests that stand open in the first message's chat, or null
-- The leading messages of one chat form the turn; the caller leaves the others open. A decision, a node that runs again, and another way
-- of reading is a turn of its own. A conversation that waits for a decision is not idle. News of an incident opens a conversation, as a
-- message does, so that a person can answer it.
create function lane_begin(u text, w text, lease_ms int, max_messages int, idle_ms bigint, usual text)
returns table (epoch bigint, attempts int, begun int, stop_before bigint, messages json, person json, thread_id text, thread_new boolean, expired json, waiting json,
               agent text)
language plpgsql volatile set enable_seqscan = off as $$
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

-- Extends the leases that still carry our epoch. Returns the person keys that were lost.
create function lane_beat(w text, keys text[], epochs bigint[], lease_ms int) returns setof text language sql volatile as $$
  with mine as (select * from unnest(keys, epochs) as k (user_key, epoch)),
  kept as (
    update lanes l set lease_until = clock_timestamp() + lease_ms * interval '1 ms'
      from mine where l.user_key = mine.user_key and l.epoch = mine.epoch and l.worker = w
    returning l.user_key)
  select mine.user_key from mine where mine.user_key not in (select user_key from kept)
$$;

-- Ends a turn in one transaction: turn record, replies, outcomes, thread, lane released.
--   in:  the epoch; turn {…} or null; outcomes [{id, outcome, reason}]; replies as for outbox_put;
--        thread {threadId, status, awaiting, title, summary} or null
--   out: ok = false when the lane was lost (nothing was written); more = open messages remain
-- The lane row is locked first and the open messages are counted last: a begin that came before the lock saw the same rows,
-- and one that comes after it waits for the commit and finds the lane free. So no message is stranded.
create function lane_finish(u text, e bigint, turn jsonb, outcomes jsonb, replies jsonb, thread jsonb)
returns table (ok boolean, more boolean) language plpgsql volatile set enable_seqscan = off as $$
declare rest boolean;
begin
  perform 1 from lanes l where l.user_key = u and l.epoch = e for update;
  if not found then
    return query select false, false;
    return;
  end if;
  if turn is not null then
    insert into turns (turn_id, thread_id, user_key, epoch, worker, trace_id, model, outcome, passes, tool_calls, usage, error, started_at)
    values (turn ->> 'turnId', turn ->> 'threadId', u, e, turn ->> 'worker', turn ->> 'traceId', turn ->> 'model', turn ->> 'outcome',
            (turn ->> 'passes')::int, (turn ->> 'toolCalls')::int, turn -> 'usage', turn ->> 'error', (turn ->> 'startedAt')::timestamptz);
  end if;
  update inbox i
     set outcome = o.outcome, reason = o.reason, turn_id = turn ->> 'turnId', settled_at = now()
    from jsonb_to_recordset(outcomes) as o (id bigint, outcome text, reason text)
   where i.id = o.id and i.outcome is null;
  if jsonb_array_length(replies) > 0 then perform outbox_put(replies); end if;
  if thread is not null then
    update threads t
       set last_active_at = now(), awaiting = (thread ->> 'awaiting')::boolean,
           status = thread ->> 'status', ended_at = case when thread ->> 'status' = 'open' then null else now() end,
           title = coalesce(thread ->> 'title', t.title), summary = coalesce(thread ->> 'summary', t.summary)
     where t.thread_id = thread ->> 'threadId' and t.status = 'open';
  end if;
  select exists (select 1 from inbox i where i.user_key = u and i.outcome is null) into rest;
  update lanes l
     set worker = null, lease_until = null, attempts = 0, begun = 0, not_before = null, woken_at = case when rest then now() else null end
   where l.user_key = u;
  return query select true, rest;
end $$;

-- Gives a lane back without an end of turn. `counts` says whether the attempt stays counted; back-off in milliseconds.
create function lane_yield(u text, e bigint, counts boolean, backoff_ms int) returns boolean language plpgsql volatile as $$
begin
  update lanes l
     set worker = null, lease_until = null, attempts = greatest(0, l.attempts - case when counts then 0 else 1 end),
         not_before = case when backoff_ms > 0 then clock_timestamp() + backoff_ms * interval '1 ms' else null end,
         woken_at = case when backoff_ms > 0 then null else clock_timestamp() end
   where l.user_key = u and l.epoch = e;
  return found;
end $$;

-- A process that lost a lane, or could not release it, is alive after all: refunds the charge for its death.
create function lane_acquit(u text, h text) returns boolean language plpgsql volatile as $$
begin
  update lanes l
     set suspect = l.suspect and l.lost_by is distinct from h,
         attempts = greatest(0, l.attempts - case when h = any (l.charged_by) then 1 else 0 end),
         charged_by = array_remove(l.charged_by, h)
   where l.user_key = u and (l.lost_by = h or h = any (l.charged_by));
  return found;
end $$;

-- Finds people with open messages whose lane is free or expired and was not woken for `quiet_ms`, or whose back-off is over, and marks them as
-- woken. The oldest come first, so that a backlog larger than one sweep starves nobody.
create function lane_sweep(quiet_ms int, max_lanes int) returns setof text language sql volatile as $$
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

-- The agents that the workers offer, written by each worker at its start.
create table agents (
  id         text primary key,
  summary    text not null,
  is_default boolean not null default false,
  updated_at timestamptz not null default now()
);

-- The agent that a person has chosen in a chat. Without a row, the workers' default agent answers.
create table chat_agents (
  user_key  text not null,
  chat_key  text not null,
  agent     text not null,
  chosen_at timestamptz not null default now(),
  primary key (user_key, chat_key)
);

-- Returns the agent for an envelope of person `u` in chat `c`: for news the agent of its thread, otherwise the chosen one. An agent that no
-- worker offers is ignored.
create function agent_for(u text, c text, envelope jsonb, usual text) returns text language sql stable as $$
  select coalesce(
    (select t.agent from threads t join agents a on a.id = t.agent where t.thread_id = envelope ->> 'threadId' and t.user_key = u),
    (select x.agent from chat_agents x join agents a on a.id = x.agent where x.user_key = u and x.chat_key = c),
    usual)
$$;
