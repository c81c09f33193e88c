-- The queues' functions find rows by an index however few there are. Postgres plans their statements once per connection, and of a table
-- that is still small it reads all rows; that plan stays until the table is analyzed again, while a burst of messages makes it grow.
alter function inbox_admit(jsonb) set enable_seqscan = off;
alter function lane_isolate(text, text) set enable_seqscan = off;
alter function lane_begin(text, text, int, int, bigint, text) set enable_seqscan = off;
alter function lane_finish(text, bigint, jsonb, jsonb, jsonb, jsonb) set enable_seqscan = off;
alter function chat_begin(text, text, int, boolean, int) set enable_seqscan = off;
alter function chat_next(text, bigint, jsonb, int, boolean, int, int) set enable_seqscan = off;
alter function chat_note(text, bigint, bigint, jsonb) set enable_seqscan = off;

-- The fields of a record are read in one pass over its text, where `->` parses all of it for each of them.
create or replace function turn_record(u text, e bigint, records json, reads jsonb, events jsonb) returns void
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
