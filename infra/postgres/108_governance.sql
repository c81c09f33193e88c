set local check_function_bodies = off;

-- Governance: proposals, answers of policies, approvals, and the guarantee that each effect happens once.
--
--   proposed ─┬─ run ────────────────────────────▶ started ─▶ done | failed | unknown
--             ├─ ask ─▶ waiting ─┬─ approved ─▶ consumed in the claim ─▶ started ─▶ …
--             │                  └─ rejected | modified | expired | void: never starts
--             └─ deny ───────────────────────────▶ denied
-- An effect has a row with status started before it begins: no committed intent, no effect.
create table actions (
  action_id        text primary key,
  parent_action_id text,
  turn_id          text not null,
  turn_key         text,                 -- the id of the message that began the turn: a resumed turn has another turn_id and the same key
  thread_id        text not null,
  user_key         text not null,
  tool             text not null,
  arguments        jsonb not null,
  -- {action: the frozen proposal, question: what policy was asked, decision: what it said}
  proposal         jsonb,
  -- SHA-256 of tool, its version, arguments, resources and requester: an approval is for exactly this.
  hash             text,
  grant_id         text,
  epoch            bigint not null,
  status           text not null
                   check (status in ('waiting', 'started', 'done', 'failed', 'unknown', 'denied', 'rejected', 'modified', 'expired', 'void')),
  result           jsonb,
  error_code       text,
  marks            text[] not null default '{}', -- 'untrusted' (its result carries outside text), 'private' (it read what is private)
  proposed_at      timestamptz not null default now(),
  started_at       timestamptz,
  settled_at       timestamptz,
  probe_at         timestamptz not null default now(), -- when an action of unknown fate is looked up next
  probes           int not null default 0              -- how often that was done
);
create index actions_by_thread on actions (thread_id, started_at);
create index actions_by_turn on actions (turn_id);
create index actions_by_time on actions (proposed_at);
create index actions_started on actions (user_key, started_at);

-- A conversation may have many actions, few of them marked.
create index actions_marked on actions (thread_id, proposed_at) where marks <> '{}';

-- A receipt shows the first characters of an action's id, by which people find it.
create index actions_by_beginning on actions (action_id text_pattern_ops);
create index actions_unsettled on actions (probe_at) where status in ('started', 'unknown');

-- Effect marks: a tool's writes and the mark of its action commit together, so the action id finds the outcome. Once an action is settled as
-- failed, nothing can be written on its behalf, so a look-up that found nothing stays right.
create table action_effects (
  action_id text primary key references actions,
  result    jsonb,                                -- what cannot be read again afterwards; else null
  at        timestamptz not null default clock_timestamp()
);

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
  by_requester boolean not null default false, -- a confirmation by the requester, which no other person sees and no reminder follows
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
  consumed_at  timestamptz,
  used         jsonb                   -- what policy said when it was used up or void: a turn that goes on after a crash records it
);
create index approvals_pending on approvals (expires_at) where status = 'pending';
create index approvals_by_thread on approvals (thread_id);
create index approvals_by_turn on approvals (turn_id);

-- Row policies by service: see 110_jobs.sql.
alter table approvals enable row level security;
create policy all_services on approvals to signalbox_app using (true) with check (true);

create table approval_votes (
  approval_id text not null references approvals,
  user_key    text not null,
  name        text not null,
  voted_at    timestamptz not null default now(),
  role        text,                    -- the person's role at that time, which the card shows
  primary key (approval_id, user_key)
);

-- Prompts for a reason, a change or a question about a request. An answer to the prompt's message is taken for it.
create table approval_prompts (
  outbox_key  text primary key,
  approval_id text not null references approvals,
  verb        text not null check (verb in ('reject', 'modify', 'ask', 'answer')),
  user_key    text not null,
  asked_by    text,
  made_at     timestamptz not null default now(),
  used_at     timestamptz
);

-- Open prompts of a person, which are read with every message that may answer one.
create index approval_prompts_open on approval_prompts (user_key, made_at) where used_at is null;

-- A grant, such as "restart api on staging, 30 minutes, at most 3 times": matching actions need no approval while it lasts.
create table grants (
  grant_id   text primary key,
  user_key   text not null,            -- whose requests it covers
  tool       text not null,
  match      jsonb not null,           -- arguments that have to be equal
  place      jsonb,                    -- {agent, chatKey, environment, resources, toolVersion}; a grant without it fits nothing
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

-- One record per pass of a turn: the hash of the model's input, the proposals, the decisions and the results.
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

-- The files of every policy set that has made a decision, for replaying its decisions.
create table policy_sets (
  version   text primary key,
  files     jsonb not null,
  loaded_at timestamptz not null default now()
);

-- Reads the facts, besides the action, on which a decision about an effect of person `u` depends. Declared read-only, so that Postgres inlines
-- it into the calling statement and skips columns that are not selected.
--   in:  tool and arguments, for grants; place: the action's values of the keys in grants.place, or null
--   out: frozen, break_glass; grant_id of a matching grant, or null; number of other possible approvers by role;
--        calls in the last hour; tokens and USD in the last day
create function governance_facts(u text, tool_name text, args jsonb, place_now jsonb)
returns table (frozen boolean, break_glass boolean, grant_id text, operators int, admins int, calls int, tokens bigint, cost_usd float8)
language sql stable as $$
  select exists (select 1 from settings s where s.key = 'freeze'),
         exists (select 1 from settings s where s.key = 'break_glass' and (s.value ->> 'until')::timestamptz > now()),
         (select g.grant_id from grants g
           where g.user_key = u and g.tool = tool_name and g.revoked_at is null and g.uses_left > 0 and g.expires_at > now()
             and g.match = args and g.place = place_now order by g.expires_at, g.grant_id limit 1),
         (select count(distinct x.person)::int from users x
           where x.person <> person_of(u) and not x.is_program and x.role in ('operator', 'admin')),
         (select count(distinct x.person)::int from users x where x.person <> person_of(u) and not x.is_program and x.role = 'admin'),
         (select count(*)::int from actions a where a.user_key = any (identities_of(u)) and a.started_at > now() - interval '1 hour'),
         (select coalesce(sum((t.usage ->> 'inputTokens')::bigint + (t.usage ->> 'outputTokens')::bigint), 0)::bigint
            from turns t where t.user_key = any (identities_of(u)) and t.started_at > now() - interval '1 day'),
         (select coalesce(sum((t.usage ->> 'costUsd')::float8), 0)
            from turns t where t.user_key = any (identities_of(u)) and t.started_at > now() - interval '1 day')
$$;

-- Reads the taint of a call of person `u` in chat `c`. Failures have no result to compare with, and do not count as newest results.
--   out: untrusted: outside text that the conversation has read; private: it has read private data; tainted: it has read outside text;
--        typed: texts that the person typed in this task since the newest outside text, newest first;
--        said: texts that the person recently wrote or pressed in this chat
create function thread_taint(t text, u text, c text)
returns table (untrusted text[], private boolean, tainted boolean, typed text[], said text[]) language sql stable as $$
  select coalesce((select array_agg(x.result) from (
           select a.result ->> 'result' as result from actions a
            where a.thread_id = t and a.marks <> '{}' and 'untrusted' = any (a.marks) and a.result ->> 'result' is not null
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

-- Stores the records of a turn in the transaction that ends it. Idempotent, except for the audit events.
--   in: records [{record, recordHash}]; reads: finished reads, which had no row before they ran; audit events
-- Each record's fields are read in one pass over its text, because `->` would parse the whole text once per field.
create function turn_record(u text, e bigint, records json, reads jsonb, events jsonb) returns void
language plpgsql volatile set enable_seqscan = off as $$
begin
  insert into execution_turns (turn_id, pass, thread_id, user_key, context_hash, record, record_hash)
  select f."turnId", f.pass, f."threadId", u, r."contextHash", r.record, r."recordHash"
    from json_to_recordset(records) r ("contextHash" text, record json, "recordHash" text),
         lateral json_to_record(r.record) f ("turnId" text, pass int, "threadId" text)
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

-- Marks the writes of this transaction as the effect of action `id`; ids without an action get no mark. A caller that settles by look-up holds
-- the row FOR UPDATE, so the two wait for each other.
create function effect_note(id text, what jsonb default null) returns void
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
declare s text;
begin
  select a.status into s from actions a where a.action_id = id for key share;
  if not found then return; end if;
  if s = 'failed' then raise exception 'action % was settled as failed before this', id using errcode = 'SB001'; end if;
  insert into action_effects (action_id, result) values (id, what) on conflict do nothing;
end $$;

-- A trigger that marks effects by a column of the written row, named by its argument.
create function effect_noted() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare id text := to_jsonb(new) ->> tg_argv[0];
begin
  if id is not null and (tg_op = 'INSERT' or id is distinct from to_jsonb(old) ->> tg_argv[0]) then perform effect_note(id); end if;
  return null;
end $$;
create trigger effect_noted after insert on inbox for each row when (new.kind = 'node') execute function effect_noted('update_id');

-- Refuses to add uses to a grant: the worker may use grants, but may not extend them.
create function grant_only_falls() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception 'the uses of grant % may not rise', old.grant_id using errcode = 'insufficient_privilege';
end $$;
create trigger grant_only_falls before update of uses_left on grants
  for each row when (new.uses_left > old.uses_left) execute function grant_only_falls();

-- True when the card of a request is in a chat: job pools may change cards only there. Has the owner's rights, because a policy that reads its
-- own table would recurse.
create function card_stands_in(approval text, chat text) returns boolean language sql stable security definer
  set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from outbox o where o.chat_key = chat and o.slot = approval)
$$;
