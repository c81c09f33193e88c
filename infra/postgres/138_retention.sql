-- Retention: what is old is deleted in small steps, and what makes an effect happen once stays. See docs/operations.md.
set local check_function_bodies = off; -- a worker makes the tables of checkpoints

create index threads_ended on threads (ended_at) where status <> 'open';

-- Sizes of the tables and disks on each day, for the growth: {"tables": {name: bytes}, "database": bytes, "disks": {place: {free, size}}}
create table size_samples (
  day   date primary key,
  sizes jsonb not null
);

-- How far messages are shortened, by the name of the table.
create table retention_marks (
  what text primary key,
  upto bigint not null
);

-- Deletes the checkpoints of conversations that ended, which nothing goes on with.
create function retain_checkpoints(before timestamptz, batch int) returns int language plpgsql volatile as $$
declare ids text[];
begin
  if to_regclass('langgraph.checkpoints') is null then return 0; end if;
  select array_agg(x.thread_id) into ids from (
    select t.thread_id from threads t where t.status <> 'open' and t.ended_at < before and not thread_waits(t.thread_id)
       and exists (select from langgraph.checkpoints c where c.thread_id = t.thread_id) order by t.ended_at limit batch) x;
  delete from langgraph.checkpoint_writes w where w.thread_id = any (ids);
  delete from langgraph.checkpoint_blobs b where b.thread_id = any (ids);
  delete from langgraph.checkpoints c where c.thread_id = any (ids);
  return coalesce(cardinality(ids), 0);
end $$;

-- Deletes whole conversations, so that each one that is kept replays from its first turn. The number of a conversation is never given again:
-- see thread_sequences. Of actions and requests the row stays, which lets each happen once, with the names that the history shows.
create function retain_conversations(before timestamptz, batch int) returns int language plpgsql volatile as $$
declare ids text[];
begin
  select array_agg(x.thread_id) into ids from (
    select t.thread_id from threads t
     where t.status <> 'open' and t.ended_at < before and not thread_waits(t.thread_id)
       and not exists (select from actions a where a.thread_id = t.thread_id and a.status in ('waiting', 'started', 'unknown'))
       and not exists (select from plans p where p.thread_id = t.thread_id and p.state = 'running')
       and not exists (select from schedules s where s.thread_id = t.thread_id and s.state in ('active', 'paused'))
       and not exists (select from engineering_changes e where e.thread_id = t.thread_id and e.state in ('working', 'asking', 'proposed'))
     order by t.ended_at limit batch for update skip locked) x;
  if ids is null then return 0; end if;
  if to_regclass('langgraph.checkpoints') is not null then
    delete from langgraph.checkpoint_writes w where w.thread_id = any (ids);
    delete from langgraph.checkpoint_blobs b where b.thread_id = any (ids);
    delete from langgraph.checkpoints c where c.thread_id = any (ids);
  end if;
  delete from execution_turns e where e.thread_id = any (ids);
  delete from turns n where n.thread_id = any (ids);
  delete from thread_taints x where x.thread_id = any (ids);
  update plans p set steps = '[]', outcomes = '[]' where p.thread_id = any (ids);
  update approvals p
     set change = null, reason = null, used = null,
         card = jsonb_build_object('what', coalesce(p.card ->> 'what', ''), 'change', '', 'reach', '', 'undo', '', 'why', '',
                                   'requester', coalesce(p.card ->> 'requester', ''), 'changedFrom', null)
   where p.thread_id = any (ids);
  update action_effects f set result = null
   where f.result is not null and f.action_id in (select a.action_id from actions a where a.thread_id = any (ids));
  -- A read never had an effect, and nothing refers to it.
  delete from actions a
   where a.thread_id = any (ids) and a.started_at is null and a.status in ('done', 'failed', 'denied')
     and not exists (select from approvals p where p.action_id = a.action_id)
     and not exists (select from plans p where p.plan_id = a.action_id)
     and not exists (select from action_effects f where f.action_id = a.action_id);
  update actions a
     set proposal = null, result = null,
         arguments = (select coalesce(jsonb_object_agg(k.key, k.value), '{}') from jsonb_each(a.arguments) k
                       where k.key in ('project', 'environment', 'name', 'server') and jsonb_typeof(k.value) = 'string')
   where a.thread_id = any (ids);
  delete from threads t where t.thread_id = any (ids);
  return cardinality(ids);
end $$;

-- Shortens settled messages of people: the row stays, so that the same update is never taken twice, and so does what finds their chats.
create function retain_messages(before timestamptz, batch int) returns int language plpgsql volatile as $$
declare ids bigint[]; done bigint;
begin
  select coalesce(max(m.upto), 0) into done from retention_marks m where m.what = 'inbox';
  select array_agg(x.id) into ids from (
    select i.id, i.received_at from inbox i where i.id > done order by i.id limit batch) x where x.received_at < before;
  if ids is null then return 0; end if;
  update inbox i
     set envelope = (i.envelope - array['say', 'quote', 'buttons', 'gate', 'attachments', 'was', 'cut', 'card'])
                    || case when i.envelope ? 'text' then '{"text": ""}'::jsonb else '{}' end
   where i.id = any (ids) and i.outcome is not null;
  update voice_notes v set transcript = null where v.inbox_id = any (ids) and v.transcript is not null;
  insert into retention_marks as m (what, upto) values ('inbox', (select max(x) from unnest(ids) x))
  on conflict (what) do update set upto = excluded.upto;
  return cardinality(ids);
end $$;

-- Deletes replies of turns that are over, which never run again. Other messages keep their key, so that none is sent twice.
create function retain_replies(before timestamptz, batch int) returns int language plpgsql volatile as $$
declare ids bigint[]; done bigint;
begin
  select coalesce(max(m.upto), 0) into done from retention_marks m where m.what = 'outbox';
  select array_agg(x.id) into ids from (
    select o.id, o.created_at from outbox o where o.id > done order by o.id limit batch) x where x.created_at < before;
  if ids is null then return 0; end if;
  delete from outbox o
   where o.id = any (ids) and o.status not in ('pending', 'sending') and o.turn_id is not null
     and not exists (select from approvals a where a.approval_id = o.slot)
     and not exists (select from approval_prompts p where p.outbox_key = o.key);
  update outbox o set body = '{"text": "…", "buttons": []}', error = null
   where o.id = any (ids) and o.status not in ('pending', 'sending')
     and not exists (select from approvals a where a.approval_id = o.slot and a.status in ('pending', 'approved'));
  insert into retention_marks as m (what, upto) values ('outbox', (select max(x) from unnest(ids) x))
  on conflict (what) do update set upto = excluded.upto;
  return cardinality(ids);
end $$;

-- Removes old components from pages, as web_show does with those beyond its limit.
create function retain_pages(before timestamptz, batch int) returns int language sql volatile as $$
  with old as (select p.chat_key, p.component_id from web_patches p where p.at < before limit batch),
  locked as materialized (select c.chat_key from web_chats c where c.chat_key in (select chat_key from old) order by 1 for update),
  gone as (delete from web_patches p using old, locked l
            where p.chat_key = old.chat_key and p.component_id = old.component_id and l.chat_key = p.chat_key
            returning p.chat_key, p.seq),
  noted as (update web_chats c set dropped = greatest(c.dropped, g.seq)
              from (select chat_key, max(seq) as seq from gone group by chat_key) g where c.chat_key = g.chat_key)
  select count(*)::int from gone
$$;

-- Deletes ended runs, whose actions stay; then notices, due times, output of deployments, incidents, and reports of older scans.
create function retain_work(before timestamptz, batch int) returns int language plpgsql volatile as $$
declare n int; total int := 0;
begin
  delete from runs r where r.run_id in (
    select x.run_id from runs x where x.created_at < before and x.finished_at < before and x.status in ('done', 'failed', 'cancelled')
     order by x.created_at limit batch);
  get diagnostics n = row_count;
  total := total + n;
  delete from turns t where t.turn_id in (
    select x.turn_id from turns x where x.thread_id is null and x.started_at < before and x.ended_at < before limit batch);
  get diagnostics n = row_count;
  total := total + n;
  delete from schedule_runs s using (select x.schedule_id, x.due_at from schedule_runs x where x.at < before limit batch) old
   where s.schedule_id = old.schedule_id and s.due_at = old.due_at;
  get diagnostics n = row_count;
  total := total + n;
  delete from deployment_lines l using (
    select d.deployment_id from deployments d where d.finished_at < before
       and exists (select from deployment_lines x where x.deployment_id = d.deployment_id) order by d.finished_at limit greatest(batch / 20, 1)) old
   where l.deployment_id = old.deployment_id;
  get diagnostics n = row_count;
  total := total + n;
  delete from incidents i where i.incident_id in (
    select x.incident_id from incidents x where x.opened_at < before and x.closed_at < before and x.news is null and x.waits_since is null
     order by x.opened_at limit batch);
  get diagnostics n = row_count;
  total := total + n;
  delete from repository_artifacts a using (
    select r.run_id from repository_runs r where r.finished_at < before
       and exists (select from repository_artifacts x where x.run_id = r.run_id)
       and exists (select from repository_runs y where y.project = r.project and y.chain = r.chain and y.status = 'completed'
                      and y.finished_at > r.finished_at) limit greatest(batch / 20, 1)) old
   where a.run_id = old.run_id;
  get diagnostics n = row_count;
  total := total + n;
  update dead_letters d set body = '{}' where d.id in (
    select x.id from dead_letters x where x.resolved_at < before and x.body <> '{}' limit batch);
  get diagnostics n = row_count;
  return total + n;
end $$;

-- One step of retention: handles at most `batch` rows or conversations older than `days`, and returns how many. It has the owner's rights,
-- because no service may delete what people wrote. Nothing younger than a week goes, whoever asks; no function deletes audit events.
create function retain(what text, days int, batch int) returns int
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
declare before timestamptz := clock_timestamp() - days * interval '1 day';
begin
  if days is null or days < 7 or batch is null or batch not between 1 and 1000 then
    raise exception 'retention keeps at least 7 days, and handles 1 to 1000 rows at once' using errcode = 'insufficient_privilege';
  end if;
  return case what
    when 'checkpoints' then retain_checkpoints(before, greatest(batch / 10, 1))
    when 'conversations' then retain_conversations(before, greatest(batch / 10, 1))
    when 'messages' then retain_messages(before, batch)
    when 'replies' then retain_replies(before, batch)
    when 'pages' then retain_pages(before, batch)
    when 'work' then retain_work(before, batch) end;
end $$;
revoke all on function retain(text, int, int) from public;
grant execute on function retain(text, int, int) to signalbox_app;
