-- The order of checkpoints is a number that the database gives. LangGraph names checkpoints by the time of the machine that wrote them,
-- and two machines need not agree on the time.

-- Adds the number to the table that a worker makes, once it is there. Idempotent. Rows of before keep the order of their names, but a
-- checkpoint comes after its parent.
create function number_checkpoints() returns void language plpgsql as $$
declare first bigint;
begin
  perform 1 from pg_attribute a where a.attrelid = to_regclass('langgraph.checkpoints') and a.attname = 'number';
  if found or to_regclass('langgraph.checkpoints') is null then return; end if;
  alter table langgraph.checkpoints add column number bigint;
  update langgraph.checkpoints c set number = o.number
    from (select x.thread_id, x.checkpoint_ns, x.checkpoint_id,
                 row_number() over (order by greatest(x.checkpoint_id, x.parent_checkpoint_id),
                                             coalesce(x.parent_checkpoint_id > x.checkpoint_id, false), x.checkpoint_id) as number
            from langgraph.checkpoints x) o
   where c.thread_id = o.thread_id and c.checkpoint_ns = o.checkpoint_ns and c.checkpoint_id = o.checkpoint_id;
  select coalesce(max(c.number), 0) + 1 into first from langgraph.checkpoints c;
  alter table langgraph.checkpoints alter column number set not null;
  execute format('alter table langgraph.checkpoints alter column number add generated always as identity (start with %s)', first);
  create unique index checkpoints_by_number on langgraph.checkpoints (thread_id, checkpoint_ns, number);
end $$;
select number_checkpoints();

-- As before; the newest checkpoint of the thread is the one with the highest number.
create or replace function checkpoint_put(
  u text, e bigint, thread text, head_id text, parent_id text, body jsonb, meta jsonb,
  blob_channels text[], blob_versions text[], blob_types text[], blob_bytes bytea[],
  write_tasks text[], write_idx int[], write_channels text[], write_types text[], write_bytes bytea[])
returns boolean language plpgsql volatile as $$
declare newest text;
begin
  perform 1 from lanes l where l.user_key = u and l.epoch = e and l.worker is not null for share;
  if not found then return false; end if;
  select c.checkpoint_id into newest from langgraph.checkpoints c
   where c.thread_id = thread and c.checkpoint_ns = '' order by c.number desc limit 1;
  if newest is distinct from parent_id and newest is distinct from head_id then return false; end if;
  insert into langgraph.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
  select thread, '', x.channel, x.version, x.type, x.bytes
    from unnest(blob_channels, blob_versions, blob_types, blob_bytes) as x (channel, version, type, bytes)
  on conflict do nothing;
  if cardinality(write_tasks) > 0 then
    insert into langgraph.checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
    select thread, '', head_id, x.task, x.idx, x.channel, x.type, x.bytes
      from unnest(write_tasks, write_idx, write_channels, write_types, write_bytes) as x (task, idx, channel, type, bytes)
    on conflict do nothing;
  end if;
  insert into langgraph.checkpoints as c (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
  values (thread, '', head_id, parent_id, body, meta)
  on conflict (thread_id, checkpoint_ns, checkpoint_id) do update set checkpoint = excluded.checkpoint, metadata = excluded.metadata;
  return true;
end $$;

-- As before; the newest are those with the highest numbers.
create or replace function checkpoint_prune(thread text, keep int) returns void language plpgsql volatile as $$
begin
  with kept as materialized (
    select c.checkpoint_id, c.checkpoint from langgraph.checkpoints c
     where c.thread_id = thread and c.checkpoint_ns = '' order by c.number desc limit keep),
  versions as materialized (
    select distinct v.key as channel, v.value as version from kept k, jsonb_each_text(k.checkpoint -> 'channel_versions') v),
  ranges as materialized (
    select distinct m.key as channel, (m.value ->> n)::int as first, (m.value ->> (n + 1))::int as last
      from kept k, jsonb_each(coalesce(k.checkpoint -> 'messages', '{}')) m, generate_series(0, jsonb_array_length(m.value) - 2, 2) n),
  gone as (
    delete from langgraph.checkpoints c where c.thread_id = thread and c.checkpoint_ns = ''
       and not exists (select from kept k where k.checkpoint_id = c.checkpoint_id)),
  unwritten as (
    delete from langgraph.checkpoint_writes w where w.thread_id = thread and w.checkpoint_ns = ''
       and not exists (select from kept k where k.checkpoint_id = w.checkpoint_id))
  delete from langgraph.checkpoint_blobs b
   where b.thread_id = thread and b.checkpoint_ns = ''
     and case when b.version like 'message-%'
              then not exists (select from ranges r where r.channel = b.channel and substr(b.version, 9)::int between r.first and r.last)
              else not exists (select from versions v where v.channel = b.channel and v.version = b.version) end;
end $$;
