-- Governance: what was proposed, what policy said, who approved, and that each effect happens once.
--
--   proposed ─┬─ run ────────────────────────────▶ started ─▶ done | failed | unknown
--             ├─ ask ─▶ waiting ─┬─ approved ─▶ consumed in the claim ─▶ started ─▶ …
--             │                  └─ rejected | modified | expired | void: never starts
--             └─ deny ───────────────────────────▶ denied
-- An effect has its row, with status started, before it begins: no committed intent, no effect.

alter table actions drop constraint actions_status_check;
alter table actions add constraint actions_status_check
  check (status in ('waiting', 'started', 'done', 'failed', 'unknown', 'denied', 'rejected', 'modified', 'expired', 'void'));
alter table actions alter column started_at drop not null, alter column started_at drop default;
alter table actions add column parent_action_id text;
-- {action: the frozen proposal, question: what policy was asked, decision: what it said}
alter table actions add column proposal jsonb;
-- SHA-256 of tool, its version, arguments, resources and requester: an approval is for exactly this.
alter table actions add column hash text;
alter table actions add column proposed_at timestamptz not null default now();
alter table actions add column grant_id text;
create index actions_by_turn on actions (turn_id);
create index actions_by_time on actions (proposed_at);

create table approvals (
  approval_id  text primary key,
  action_id    text not null unique references actions,
  user_key     text not null,          -- whose lane goes on with it
  chat_key     text not null,          -- where it was asked for
  thread_id    text not null,
  turn_id      text not null,
  trace_id     text not null,
  hash         text not null,
  rule         text not null,          -- the rule that asked, and the set that it stood in
  policy       text not null,
  needed       smallint not null check (needed between 1 and 10),
  role         text not null,          -- the least role of an approver
  solo         boolean not null,
  authors      text[] not null,        -- who asked, and who changed it: none of them approves
  card         jsonb not null,         -- {what, change, reach, undo, why, environment, tainted}
  status       text not null default 'pending'
               check (status in ('pending', 'approved', 'rejected', 'modified', 'expired', 'void', 'consumed')),
  requested_at timestamptz not null default now(),
  remind_at    timestamptz,
  escalate_at  timestamptz,
  expires_at   timestamptz not null,
  decided_at   timestamptz,
  decided_by   text,
  reason       text,
  change       jsonb,                  -- the arguments that a modification changes
  consumed_at  timestamptz
);
create index approvals_pending on approvals (expires_at) where status = 'pending';
create index approvals_by_thread on approvals (thread_id);
create index approvals_by_turn on approvals (turn_id);

create table approval_votes (
  approval_id text not null references approvals,
  user_key    text not null,
  name        text not null,
  voted_at    timestamptz not null default now(),
  primary key (approval_id, user_key)
);

-- What somebody was asked to write: a reason, a change, a question. An answer to that very message is taken for it.
create table approval_prompts (
  outbox_key  text primary key,
  approval_id text not null references approvals,
  verb        text not null check (verb in ('reject', 'modify', 'ask', 'answer')),
  user_key    text not null,
  asked_by    text,
  made_at     timestamptz not null default now(),
  used_at     timestamptz
);

-- "Restart api on staging, 30 minutes, at most 3 times": spares the question for actions that fit, while it lasts.
create table grants (
  grant_id   text primary key,
  user_key   text not null,            -- whose requests it covers
  tool       text not null,
  match      jsonb not null,           -- arguments that have to be equal
  given_by   text not null,
  approval_id text references approvals,
  uses_left  int not null check (uses_left >= 0),
  max_uses   int not null,
  given_at   timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text
);
create index grants_usable on grants (user_key, tool) where revoked_at is null and uses_left > 0;

-- One record per pass of a turn: what the model saw (as a hash), what it proposed, what was decided, what came back.
create table execution_turns (
  turn_id      text not null,
  pass         int not null,
  thread_id    text not null,
  user_key     text not null,
  context_hash text not null,
  record       json not null,           -- as it was written: the order of keys is a part of what a model was given
  record_hash  text not null,
  recorded_at  timestamptz not null default now(),
  primary key (turn_id, pass)
);
create index execution_turns_by_thread on execution_turns (thread_id, recorded_at);

-- Writes the records of a turn with what belongs to them, in the transaction that ends it. Twice is safe but for the events.
--   in: records [{record, recordHash}]; reads: the actions that changed nothing and so had no row before they ran; audit events
create function turn_record(u text, e bigint, records json, reads jsonb, events jsonb) returns void language plpgsql volatile as $$
begin
  insert into execution_turns (turn_id, pass, thread_id, user_key, context_hash, record, record_hash)
  select r -> 'record' ->> 'turnId', (r -> 'record' ->> 'pass')::int, r -> 'record' ->> 'threadId', u,
         r ->> 'contextHash', r -> 'record', r ->> 'recordHash'
    from json_array_elements(records) r
  on conflict do nothing;
  if jsonb_array_length(reads) > 0 then
    insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposal, hash, error_code, proposed_at, started_at, settled_at)
    select a ->> 'actionId', a ->> 'turnId', a ->> 'threadId', u, a ->> 'tool', a -> 'arguments', e, a ->> 'status', a -> 'proposal',
           a ->> 'hash', a ->> 'errorCode', (a ->> 'at')::timestamptz, null, now()
      from jsonb_array_elements(reads) a
    on conflict (action_id) do nothing;
  end if;
  perform audit_append(events);
end $$;

-- The files of every policy set that has decided anything, so that its decisions can be made again.
create table policy_sets (
  version   text primary key,
  files     jsonb not null,
  loaded_at timestamptz not null default now()
);

-- What a decision about an effect of person `u` is made from, besides the action itself.
--   in:  the tool and arguments, for grants; how far back calls, tokens and money are counted
--   out: frozen, break_glass; grant_id of a grant that fits, or null; how many others could approve, by role;
--        calls in the last hour; tokens and USD in the last day
create function governance_facts(u text, tool_name text, args jsonb)
returns table (frozen boolean, break_glass boolean, grant_id text, operators int, admins int, calls int, tokens bigint, cost_usd float8)
language sql volatile as $$
  select exists (select 1 from settings s where s.key = 'freeze'),
         exists (select 1 from settings s where s.key = 'break_glass' and (s.value ->> 'until')::timestamptz > now()),
         (select g.grant_id from grants g
           where g.user_key = u and g.tool = tool_name and g.revoked_at is null and g.uses_left > 0 and g.expires_at > now()
             and args @> g.match order by g.expires_at, g.grant_id limit 1),
         (select count(*)::int from users x where x.user_key <> u and x.role in ('operator', 'admin')),
         (select count(*)::int from users x where x.user_key <> u and x.role = 'admin'),
         (select count(*)::int from actions a where a.user_key = u and a.started_at > now() - interval '1 hour'),
         (select coalesce(sum((t.usage ->> 'inputTokens')::bigint + (t.usage ->> 'outputTokens')::bigint), 0)::bigint
            from turns t where t.user_key = u and t.started_at > now() - interval '1 day'),
         (select coalesce(sum((t.usage ->> 'costUsd')::float8), 0)
            from turns t where t.user_key = u and t.started_at > now() - interval '1 day')
$$;
create index turns_by_person on turns (user_key, started_at);
create index actions_started on actions (user_key, started_at);

-- Whether a conversation still waits for a decision of somebody else.
create function thread_waits(t text) returns boolean language sql volatile as $$
  select exists (select 1 from runs r where r.thread_id = t and r.status in ('queued', 'running'))
      or exists (select 1 from approvals a where a.thread_id = t and a.status in ('pending', 'approved'))
$$;

-- What a call was marked with: 'untrusted' (its result carries outside text), 'private' (it read what is private).
alter table actions add column marks text[] not null default '{}';

-- Text of outside that a conversation has seen, and whether it has read what is private: what taints an argument.
create function thread_taint(t text) returns table (untrusted text[], private boolean) language sql volatile as $$
  select coalesce((select array_agg(x.result) from (
           select a.result ->> 'result' as result from actions a
            where a.thread_id = t and 'untrusted' = any (a.marks) and a.result is not null order by a.proposed_at desc limit 30) x), '{}'),
         exists (select 1 from actions a where a.thread_id = t and 'private' = any (a.marks))
$$;

-- As in 002_lanes.sql, but: a decision is a turn of its own, a conversation that waits for one is not idle, and
--   out: waiting = [{approvalId, what, messageId}] of requests that stand open in the first message's chat, or null
drop function lane_begin(text, text, int, int, bigint, text);
create function lane_begin(u text, w text, lease_ms int, max_messages int, idle_ms bigint, agent_id text)
returns table (epoch bigint, attempts int, begun int, stop_before bigint, messages json, person json, thread_id text, thread_new boolean, expired json, waiting json)
language plpgsql volatile as $$
declare
  l lanes%rowtype; m json; top bigint; first_kind text; first_chat text; tid text; is_new boolean := false; gone json; idle boolean;
begin
  -- Locked before it is looked at. A plain conditional update skips, without waiting, a lane whose holder is just releasing it
  -- after having counted no more messages, and the message that came in between would wait for the sweeper.
  select * into l from lanes x where x.user_key = u for update;
  if not found or (l.worker is not null and l.lease_until >= clock_timestamp()) or l.not_before > clock_timestamp() then return; end if;

  -- What belongs together is taken: the first messages of one chat. From now on an edit of them comes too late.
  select json_agg(json_build_object('id', o.id, 'envelope', o.envelope) order by o.id), max(o.id) filter (where o.leading)
    into m, top
    from (select x.id, x.envelope, bool_and(x.kind not in ('command', 'decision') and x.chat_key = x.first_chat) over (order by x.id) as leading
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
  select t.thread_id, t.last_active_at < clock_timestamp() - idle_ms * interval '1 ms' and not thread_waits(t.thread_id)
    into tid, idle
    from threads t where t.user_key = u and t.chat_key = first_chat and t.agent = agent_id and t.status = 'open';
  if tid is not null and idle and first_kind = 'message' then
    update threads t set status = 'expired', awaiting = false, ended_at = now(), announced = true
     where t.thread_id = tid returning json_build_object('threadId', t.thread_id, 'title', t.title) into gone;
    tid := null;
  elsif tid is null and first_kind = 'message' then
    -- Expired by the clock while nobody spoke: say so once, with the next answer.
    update threads t set announced = true
     where t.thread_id = (select x.thread_id from threads x where x.user_key = u and x.chat_key = first_chat and x.agent = agent_id
                          order by x.n desc limit 1)
       and t.status = 'expired' and not t.announced
    returning json_build_object('threadId', t.thread_id, 'title', t.title) into gone;
  end if;
  if tid is null and first_kind = 'message' then
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
        where a.status = 'pending' order by a.requested_at limit 3) r);
end $$;
