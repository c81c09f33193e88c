-- Admission: stores what a person sent as an inbox row, exactly once, before the channel may forget it.
set local check_function_bodies = off;

-- Admits updates that arrived together, in order. One call is one transaction.
--   in:  [{channel, bot, updateId, userKey, chatKey, kind, name, traceId, envelope,
--          verdict: 'message' | 'refuse' | 'answer' | 'press' | 'new' | 'edit' | 'join' | 'merge', reason: text or null,
--          rest: it may be the rest of what a client cut,
--          press: {outboxId, index} or null,
--          edit: {messageId, album, text: null when a waiting message cannot take it, kept, lines: what to say by state,
--                 mayBeNew: it is a message of its own where that message was never seen} or null,
--          holdMs: how long a part of an album waits for the others, else 0,
--          reply: an outbox row or null (said when the verdict is 'refuse', or when an edit comes too late),
--          stranger: an outbox row or null (for a person without a role), strangerEveryMs}]
--   out: one row per item, in order:
--        verdict 'duplicate'  nothing was written
--                'ignored'    nothing was written: part of an album, or of a cut text, that is nothing to us
--                'unseen'     nothing was written: an edit of a message that was never seen; the caller admits it as a message
--                'rest'       nothing was written: it belongs to the row `id`, which a client cut; the caller puts it there
--                'accepted'   the inbox row waits for its turn
--                'merged'     settled: it changed a message that waits, or became part of it
--                'refused'    settled with its reason; the reply, if any, is in the outbox
--                'answered'   settled; the caller writes the answer in the same transaction
--        role of the person or null; label of the pressed button; said = a reply was put into the outbox
-- Rows of one person keep their order because they get their ids in the order of the items.
create function inbox_admit(items jsonb)
returns table (place int, id bigint, verdict text, reason text, role text, label text, said boolean)
language plpgsql volatile set enable_seqscan = off as $$
declare
  item jsonb; env jsonb; answer jsonb; who users%rowtype; pushed outbox%rowtype; choice jsonb; edited record; late text;
begin
  place := -1;
  for item in select value from jsonb_array_elements(items) loop
    place := place + 1;
    env := item -> 'envelope';
    verdict := item ->> 'verdict';
    reason := item ->> 'reason';
    answer := item -> 'reply';
    label := null;
    said := false;
    pushed := null;

    select * into who from users u where u.user_key = item ->> 'userKey';
    role := who.role;
    if verdict = 'edit' and (item -> 'edit' ->> 'mayBeNew')::boolean and not inbox_knows(item) then
      id := null;
      verdict := 'unseen';
      return next;
      continue;
    end if;
    if (item ->> 'rest')::boolean and role is not null then
      id := inbox_cut(item);
      if id is not null then
        verdict := 'rest';
        return next;
        continue;
      end if;
    end if;
    if verdict in ('message', 'join') and env ? 'album' and role is not null then
      case inbox_join(item)
        when 'joined' then
          verdict := 'merge';
          reason := 'album';
        when 'apart' then
          verdict := 'message';
        else
          null;
      end case;
    end if;
    if verdict = 'join' then
      id := null;
      verdict := 'ignored';
      return next;
      continue;
    elsif role is null then
      verdict := 'refuse';
      reason := 'stranger';
      answer := item -> 'stranger';
      -- A line that is said at most once in a while: strangers may write as often as they like.
      if answer is not null and exists (
        select 1 from outbox o where o.user_key = item ->> 'userKey' and o.key like 'stranger:%'
           and o.created_at > now() - (item ->> 'strangerEveryMs')::int * interval '1 ms') then
        answer := null;
      end if;
    elsif verdict = 'press' then
      select * into pushed from outbox o where o.id = (item -> 'press' ->> 'outboxId')::bigint for update;
      choice := pushed.body -> 'buttons' -> (item -> 'press' ->> 'index')::int;
      -- What was for one person of a group may stand in their private chat; it is still said in the group.
      if choice is null or pushed.pressed is not null
         or (chat_root(pushed.chat_key) <> chat_root(item ->> 'chatKey')
             and pushed.body ->> 'onlyFor' is distinct from item ->> 'userKey')
         or (pushed.user_key is not null and pushed.user_key <> item ->> 'userKey') then
        verdict := 'refuse';
        reason := 'button expired';
      else
        env := jsonb_set(env, '{text}', choice -> 'value') || jsonb_build_object('chatKey', pushed.chat_key);
        if pushed.chat_key <> item ->> 'chatKey' then
          env := env || '{"messageId": null}';
          if chat_root(pushed.chat_key) <> chat_root(item ->> 'chatKey') then env := env || '{"chatKind": "group"}'; end if;
        end if;
        if pushed.body ? 'onlyFor' then env := env || '{"whisper": true, "messageId": null}'; end if;
        label := choice ->> 'label';
      end if;
    elsif verdict = 'edit' then
      select * into edited from inbox_edit(item);
      reason := edited.reason;
      if edited.was is not null then
        env := env || jsonb_build_object('was', edited.was);
        verdict := 'merge';
      else
        verdict := 'refuse';
        late := item -> 'edit' -> 'lines' ->> edited.state;
        answer := case when late is not null then jsonb_set(answer, '{body,text}', to_jsonb(late)) end;
      end if;
    end if;

    if verdict = 'message' and env ->> 'kind' = 'message' then env := env || age_since(env ->> 'at'); end if;

    insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, held_until, outcome, reason, settled_at)
    values (item ->> 'channel', item ->> 'bot', item ->> 'updateId', item ->> 'userKey', coalesce(env ->> 'chatKey', item ->> 'chatKey'), item ->> 'kind', env,
            item ->> 'traceId',
            case when verdict = 'message' and (item ->> 'holdMs')::int > 0 then clock_timestamp() + (item ->> 'holdMs')::int * interval '1 ms' end,
            case verdict when 'refuse' then 'refused' when 'answer' then 'answered' when 'merge' then 'merged' end,
            reason, case when verdict in ('refuse', 'answer', 'merge') then now() end)
    on conflict (channel, bot, update_id) do nothing
    returning inbox.id into id;
    if id is null then
      verdict := 'duplicate';
      return next;
      continue;
    end if;

    -- A person who writes can be written to.
    perform chat_unpark(item ->> 'chatKey');
    if who.name <> item ->> 'name' then
      update users u set name = item ->> 'name' where u.user_key = who.user_key;
    end if;

    if verdict in ('message', 'press', 'new') then
      insert into lanes (user_key) values (item ->> 'userKey') on conflict do nothing;
      if verdict = 'press' then
        update outbox o set pressed = (item -> 'press' ->> 'index')::smallint, pressed_by = item ->> 'userKey' where o.id = pushed.id;
      elsif verdict = 'new' then
        update lanes l set stop_before = inbox_admit.id where l.user_key = item ->> 'userKey';
      end if;
      verdict := 'accepted';
    elsif verdict = 'answer' then
      verdict := 'answered';
    elsif verdict = 'merge' then
      verdict := 'merged';
    else
      if jsonb_typeof(answer) = 'object' then
        perform outbox_put(jsonb_build_array(answer));
        said := found;
      end if;
      verdict := 'refused';
    end if;
    return next;
  end loop;
end $$;

-- A person has changed a message. While it waits it gets its new text, in its old place.
--   in:  as for inbox_admit, with edit {messageId, album or null, text: null when it cannot be put into a waiting message,
--        kept: how a settled row would have kept it}
--   out: was = the text that was replaced, or null when nothing was; reason; and then state = what had become of the message:
--        'working' (a turn has taken it), 'waiting' (it cannot take this text), 'answered', 'stopped', 'refused', 'failed',
--        or null: nothing to tell, because the words are the same, the message is not known or the edit came before
-- Under the lane's lock, so that the turn sees either all of the edit or nothing, and the answer says which.
create function inbox_edit(item jsonb) returns table (was text, reason text, state text) language plpgsql volatile as $$
declare old record; l lanes%rowtype; u text := item ->> 'userKey'; edit jsonb := item -> 'edit';
begin
  select * into l from lanes x where x.user_key = u for update;
  if exists (select 1 from inbox i where i.channel = item ->> 'channel' and i.bot = item ->> 'bot' and i.update_id = item ->> 'updateId') then
    return query select null::text, null::text, null::text;
    return;
  end if;
  -- Telegram lets people edit for two days: one who has written more than this since does not mean that message.
  select i.id, i.envelope, i.outcome, i.reason into old
    from (select x.* from inbox x where x.user_key = u order by x.id desc limit 500) i
   where i.chat_key = item ->> 'chatKey' and i.kind = 'message' and i.envelope ->> 'messageId' = edit ->> 'messageId'
   order by i.reason is distinct from 'album' desc, i.id desc limit 1;
  if old.reason = 'album' or old.id is null and edit ->> 'album' is not null then
    -- Words for one part of an album: they cannot take the place of those of the whole.
    edit := edit || '{"text": null}';
    select i.id, i.envelope, i.outcome, i.reason into old
      from (select x.* from inbox x where x.user_key = u order by x.id desc limit 500) i
     where i.chat_key = item ->> 'chatKey' and i.kind = 'message' and i.envelope ->> 'album' = edit ->> 'album'
       and i.reason is distinct from 'album'
     order by i.id desc limit 1;
  end if;
  if not found then
    return query select null::text, 'edit of an unknown message', null::text;
  elsif old.envelope ->> 'text' in (edit ->> 'text', edit ->> 'kept') then
    return query select null::text, 'edit without new words', null::text;
  elsif old.outcome is not null then
    return query select null::text, 'edit came too late',
      case old.outcome when 'merged' then 'answered' when 'dead-lettered' then 'failed' when 'expired' then 'stopped' else old.outcome end;
  elsif l.begun > 0 and old.id <= l.taken_to then
    return query select null::text, 'edit came too late', 'working';
  elsif edit ->> 'text' is null then
    return query select null::text, 'edit cannot be taken', 'waiting';
  else
    -- Words are as old as their newest edit.
    update inbox i
       set envelope = (jsonb_set(i.envelope, '{text}', edit -> 'text') - 'ageMs') || age_since(item -> 'envelope' ->> 'at')
     where i.id = old.id;
    return query select old.envelope ->> 'text', 'edit', null::text;
  end if;
end $$;

-- Puts a part of an album to the parts that came before, while their message waits, and lets it wait for more.
--   in:  as for inbox_admit; the envelope carries the album
--   out: 'joined'; 'apart' (it is a message of its own: the first part, or one that came after a turn had taken the others);
--        'nothing' (verdict 'join', and none of the album is known to be for us)
-- The caption makes the message: the parts share the text of the one that has it, and its id.
create function inbox_join(item jsonb) returns text language plpgsql volatile as $$
declare l lanes%rowtype; u text := item ->> 'userKey'; env jsonb := item -> 'envelope'; first inbox%rowtype;
begin
  select * into l from lanes x where x.user_key = u for update;
  -- The same part again is a duplicate: the caller finds that out.
  if exists (select 1 from inbox i where i.channel = item ->> 'channel' and i.bot = item ->> 'bot' and i.update_id = item ->> 'updateId') then
    return 'apart';
  end if;
  select i.* into first
    from (select x.* from inbox x where x.user_key = u order by x.id desc limit 500) i
   where i.chat_key = item ->> 'chatKey' and i.kind = 'message' and i.envelope ->> 'album' = env ->> 'album'
     and i.reason is distinct from 'album'
   order by i.id desc limit 1;
  if not found then
    return case item ->> 'verdict' when 'join' then 'nothing' else 'apart' end;
  elsif first.outcome is not null or (l.begun > 0 and first.id <= l.taken_to)
        or jsonb_array_length(first.envelope -> 'attachments') >= 10 then
    return 'apart';
  end if;
  update inbox i
     set held_until = clock_timestamp() + (item ->> 'holdMs')::int * interval '1 ms',
         envelope = i.envelope
           || jsonb_build_object('attachments', i.envelope -> 'attachments' || (env -> 'attachments'),
                                 'text', concat_ws(E'\n', nullif(i.envelope ->> 'text', ''), nullif(env ->> 'text', '')))
           || case when i.envelope ->> 'text' = '' and env ->> 'text' <> '' then jsonb_build_object('messageId', env -> 'messageId') else '{}' end
   where i.id = first.id;
  return 'joined';
end $$;

-- Asks the worker that holds this person's lane to stop, and voids waiting messages before `before_id`. True when something ran or waited.
create function lane_stop(u text, before_id bigint) returns boolean language plpgsql volatile as $$
declare busy boolean;
begin
  update lanes l set stop_before = before_id
   where l.user_key = u
     and (l.worker is not null and l.lease_until > clock_timestamp()
          or exists (select 1 from inbox i where i.user_key = u and i.outcome is null and i.id < before_id));
  busy := found;
  return busy;
end $$;

-- Messages that were old on arrival get `ageMs`: the time from the channel's date to now, by this clock. Waiting in the inbox does not count.
create function age_since(at text) returns jsonb language sql volatile as $$
  select case when clock_timestamp() - at::timestamptz > interval '10 minutes'
    then jsonb_build_object('ageMs', (extract(epoch from clock_timestamp() - at::timestamptz) * 1000)::bigint) else '{}' end
$$;

-- True when this edit, or the message that it changes, was admitted before; in: as for inbox_admit.
create function inbox_knows(item jsonb) returns boolean language sql volatile as $$
  select exists (select 1 from inbox i where i.channel = item ->> 'channel' and i.bot = item ->> 'bot' and i.update_id = item ->> 'updateId')
      or exists (select 1 from inbox i
                  where i.user_key = item ->> 'userKey' and i.chat_key = item ->> 'chatKey'
                    and (i.envelope ->> 'messageId' = item -> 'edit' ->> 'messageId'
                         or i.envelope ->> 'album' = item -> 'edit' ->> 'album'))
$$;

-- Finds the message that this one continues: the newest of its chat, which a client has just cut, and which no turn has taken. A message over
-- the length limit also takes what follows. Null without one, and when this message was admitted before; in: as for inbox_admit.
create function inbox_cut(item jsonb) returns bigint language sql volatile as $$
  select i.id
    from (select x.* from (select * from inbox y where y.user_key = item ->> 'userKey' order by y.id desc limit 20) x
           where x.chat_key = item ->> 'chatKey' and x.reason is distinct from 'rest' order by x.id desc limit 1) i
    join lanes l on l.user_key = i.user_key
   where i.envelope ? 'cut'
     and (item -> 'envelope' ->> 'at')::timestamptz - (i.envelope -> 'cut' ->> 'at')::timestamptz between interval '0' and interval '3 seconds'
     and (i.outcome is null and not (l.begun > 0 and i.id <= l.taken_to) or i.reason = 'too long')
     and not exists (select 1 from inbox d where d.channel = item ->> 'channel' and d.bot = item ->> 'bot' and d.update_id = item ->> 'updateId')
$$;
