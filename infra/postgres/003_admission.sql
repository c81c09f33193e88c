-- Admission: what a person sent becomes an inbox row, exactly once, before the channel may forget it.

-- Which button of a message was pressed, and by whom: a message's buttons work once.
alter table outbox add column pressed smallint;
alter table outbox add column pressed_by text;

-- Admits updates that arrived together, in their order. One call is one transaction on the hot path.
--   in:  [{channel, bot, updateId, userKey, chatKey, kind, name, traceId, envelope,
--          verdict: 'message' | 'refuse' | 'answer' | 'press' | 'new', reason: text or null,
--          press: {outboxId, index} or null,
--          reply: an outbox row or null (said when the verdict is 'refuse'),
--          stranger: an outbox row or null (said to somebody without a role), strangerEveryMs}]
--   out: one row per item, in order:
--        verdict 'duplicate'  nothing was written
--                'accepted'   the inbox row waits for its turn
--                'refused'    settled with its reason; the reply, if any, is in the outbox
--                'answered'   settled; the caller writes the answer in the same transaction
--        role of the person or null; label of the pressed button; said = a reply was put into the outbox
-- Rows of one person keep their order because they get their ids in the order of the items.
create function inbox_admit(items jsonb)
returns table (place int, id bigint, verdict text, reason text, role text, label text, said boolean)
language plpgsql volatile as $$
declare
  item jsonb; env jsonb; answer jsonb; who users%rowtype; pushed outbox%rowtype; choice jsonb;
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
    if role is null then
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
      if choice is null or pushed.pressed is not null or pushed.chat_key <> item ->> 'chatKey'
         or (pushed.user_key is not null and pushed.user_key <> item ->> 'userKey') then
        verdict := 'refuse';
        reason := 'button expired';
      else
        env := jsonb_set(env, '{text}', choice -> 'value');
        label := choice ->> 'label';
      end if;
    end if;

    insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome, reason, settled_at)
    values (item ->> 'channel', item ->> 'bot', item ->> 'updateId', item ->> 'userKey', item ->> 'chatKey', item ->> 'kind', env,
            item ->> 'traceId',
            case verdict when 'refuse' then 'refused' when 'answer' then 'answered' end,
            reason, case when verdict in ('refuse', 'answer') then now() end)
    on conflict (channel, bot, update_id) do nothing
    returning inbox.id into id;
    if id is null then
      verdict := 'duplicate';
      return next;
      continue;
    end if;

    -- Whoever writes can be written to.
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
    else
      if jsonb_typeof(answer) = 'object' then
        perform outbox_put(jsonb_build_array(answer));
        said := true;
      end if;
      verdict := 'refused';
    end if;
    return next;
  end loop;
end $$;

-- Asks the worker that holds this person's lane to stop, and voids what waits before `before_id`.
-- Returns whether anything was running or waiting.
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
