-- Whom news reaches, and news that has reached nobody yet.

-- Which of these people can be written to, and in which chat, in their order and each person once. Whoever calls it chooses whom it names.
--   out: the account, its chat: the private one if they ever wrote there, else the one where they wrote last
-- Left out: people without a role, programs, people who never wrote, and chats that do not take our messages. It has the owner's rights,
-- since a pool of jobs sees nothing of what people write: it gives no message, and no more of a chat than its key.
create function find_recipients(people text[]) returns table (user_key text, chat_key text, is_private boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with asked as (
    select u.person, min(k.place) as place, (array_agg(k.key order by k.place))[1] as first_key
      from unnest(people) with ordinality as k (key, place) join users u on u.user_key = k.key group by u.person)
  select r.user_key, r.chat_key, r.is_private from asked a,
         lateral (
           select u.user_key, c.chat_key, c.is_private
             from users u,
                  lateral (
                    select i.id, i.chat_key, chat_root(i.chat_key) = private_chat(u.user_key) as is_private from inbox i
                     where i.user_key = u.user_key and i.channel not in ('system', 'jobs')
                       and not exists (select from chats x where x.chat_key in (i.chat_key, chat_root(i.chat_key)) and x.parked_at is not null)
                     order by 3 desc, i.id desc limit 1) c
            where u.person = a.person and not u.is_program
            order by c.is_private desc, u.user_key = a.first_key desc, c.id desc limit 1) r
   order by a.place
$$;
revoke all on function find_recipients(text[]) from public;
grant execute on function find_recipients(text[]) to signalbox_app;

-- What is still to be told of an incident, and since when nobody could be told; both null when nothing is.
alter table incidents add column news jsonb, add column waits_since timestamptz;
create index incidents_waiting on incidents (waits_since) where waits_since is not null;
