-- Whose words a message holds: a caption is its sender's, and an edit brings the mark of its own quotation.

-- True when the person typed the message, also beside a file: not forwarded, quoted, or sent by a button. Files without words say nothing.
create or replace function typed_by_hand(envelope jsonb) returns boolean language sql immutable as $$
  select coalesce(envelope -> 'button', 'null') = 'null' and not envelope ? 'borrowed'
     and (not envelope ? 'attachments' or btrim(coalesce(envelope ->> 'text', '')) <> '')
$$;

-- A person has changed a message. While it waits it gets its new text, in its old place.
--   in:  as for inbox_admit, with edit {messageId, album or null, text: null when it cannot be put into a waiting message,
--        kept: how a settled row would have kept it, borrowed: whose the new text is, left out when it is the person's own}
--   out: was = the text that was replaced, or null when nothing was; reason; and then state = what had become of the message:
--        'working' (a turn has taken it), 'waiting' (it cannot take this text), 'answered', 'stopped', 'refused', 'failed',
--        or null: nothing to tell, because the words are the same, the message is not known or the edit came before
-- Under the lane's lock, so that the turn sees either all of the edit or nothing, and the answer says which.
create or replace function inbox_edit(item jsonb) returns table (was text, reason text, state text) language plpgsql volatile as $$
declare old record; l lanes%rowtype; u text := item ->> 'userKey'; edit jsonb := item -> 'edit'; whose jsonb;
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
    return;
  end if;
  -- A forward stays one. The mark of a quotation goes with the text that held it.
  whose := coalesce(edit -> 'borrowed', nullif(old.envelope -> 'borrowed', '"quote"'));
  if old.envelope ->> 'text' in (edit ->> 'text', edit ->> 'kept') and whose is not distinct from old.envelope -> 'borrowed' then
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
       set envelope = (jsonb_set(i.envelope, '{text}', edit -> 'text') - 'ageMs' - 'borrowed') || age_since(item -> 'envelope' ->> 'at')
                   || case when whose is null then '{}' else jsonb_build_object('borrowed', whose) end
     where i.id = old.id;
    return query select old.envelope ->> 'text', 'edit', null::text;
  end if;
end $$;
