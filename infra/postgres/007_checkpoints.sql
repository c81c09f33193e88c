-- Checkpoints: a thread's newest state, in the tables of LangGraph's own Postgres saver (which makes them when a worker starts).

-- Writes one checkpoint with its values and task writes, only while the person's lane carries this epoch.
--   in:  blobs as parallel arrays (channel, version, type, bytes), writes as parallel arrays (task, idx, channel, type, bytes)
--   out: false when the lane was lost, and then nothing was written
create function checkpoint_put(
  u text, e bigint, thread text, head_id text, parent_id text, body jsonb, meta jsonb,
  blob_channels text[], blob_versions text[], blob_types text[], blob_bytes bytea[],
  write_tasks text[], write_idx int[], write_channels text[], write_types text[], write_bytes bytea[])
returns boolean language plpgsql volatile as $$
begin
  perform 1 from lanes l where l.user_key = u and l.epoch = e and l.worker is not null for share;
  if not found then return false; end if;
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
