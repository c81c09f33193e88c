-- Alarms of other programs are incidents of the subject `alarm:<source>/<fingerprint>`. They are told like Signalbox's own.

alter table incidents
  add column repeats        int not null default 0, -- how often the source spoke of it again while it was open
  add column flaps          int not null default 0, -- how often it came back soon after its end
  add column heard_at       timestamptz,            -- when its source last spoke of it; null for Signalbox's own
  add column taken_by       text,                   -- who looks after it
  add column taken_at       timestamptz,
  add column silenced_until timestamptz;            -- until then it is not told again

-- What is known of each source of alarms. The row is locked while a request of the source is taken.
create table alarm_sources (
  source    text primary key,
  heard_at  timestamptz not null default clock_timestamp(),
  window_at timestamptz not null default clock_timestamp(), -- since when `opened` is counted
  opened    int not null default 0
);

-- The last end of an alarm by the clock of its source, so that a firing that arrives after its own end opens nothing.
create table alarm_ends (
  source      text not null,
  fingerprint text not null,
  ended_at    timestamptz not null,
  primary key (source, fingerprint)
);
create index alarm_ends_by_time on alarm_ends (ended_at);

-- Messages of an incident in all chats; a change of the incident edits each.
create index outbox_of_incidents on outbox (slot, id) where slot like 'incident:%';

-- Lists whom an incident tells, in order: those who answer for the service, then all admins. A service may be unknown. Has the owner's
-- rights, because every service that reports incidents asks here, and none of them needs to read projects or deployments for it.
create function incident_people(of_project text, of_environment text) returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with told (place, user_key) as (
    select 1, d.user_key from services v join deployments d on d.deployment_id = v.serving
     where v.project = of_project and v.environment = of_environment
    union all select 2, p.owner from projects p where p.name = of_project
    union all select 3 + row_number() over (order by u.created_at, u.user_key), u.user_key
                from users u where u.role = 'admin' and not u.is_program)
  select user_key from told where user_key is not null group by user_key order by min(place) limit 100
$$;
revoke all on function incident_people(text, text) from public;
grant execute on function incident_people(text, text) to signalbox_app;

-- As before; a chat key among the people stands for that chat, where the operator who talked there last is addressed.
create or replace function find_recipients(people text[]) returns table (user_key text, chat_key text, is_private boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with asked as (
    select u.person, min(k.place) as place, (array_agg(k.key order by k.place))[1] as first_key
      from unnest(people) with ordinality as k (key, place) join users u on u.user_key = k.key group by u.person),
  found as (
    select a.place, r.user_key, r.chat_key, r.is_private from asked a,
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
    union all
    select k.place, r.user_key, k.key, false from unnest(people) with ordinality as k (key, place),
         lateral (
           select u.user_key from threads t join users u using (user_key)
            where chat_root(t.chat_key) = chat_root(k.key) and u.role in ('operator', 'admin') and not u.is_program
            order by t.chat_key = k.key desc, t.last_active_at desc limit 1) r
     where k.key like '%:%'
       and not exists (select from chats x where x.chat_key in (k.key, chat_root(k.key)) and x.parked_at is not null))
  select f.user_key, f.chat_key, f.is_private from found f order by f.place
$$;
revoke all on function find_recipients(text[]) from public;
grant execute on function find_recipients(text[]) to signalbox_app;

-- Records who looks after an open incident. The first one stays. out: who has it, and whether this call was the first; no row when it is over.
-- Has the owner's rights: the gateway takes the decision of a person, and may write nothing else of the incidents of other services.
create function incident_take(id bigint, person text) returns table (taken_by text, is_new boolean)
language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  with before as (select i.taken_by from incidents i where i.incident_id = id and i.closed_at is null for update)
  update incidents i set taken_by = coalesce(i.taken_by, person), taken_at = coalesce(i.taken_at, clock_timestamp())
    from before b where i.incident_id = id
  returning i.taken_by, b.taken_by is null
$$;
revoke all on function incident_take(bigint, text) from public;
grant execute on function incident_take(bigint, text) to signalbox_app;

-- Silences an incident for some time; what waits to be told waits as long. False when there is no such incident.
create function incident_silence(id bigint, for_ms int) returns boolean
language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  with silenced as (
    update incidents i set silenced_until = clock_timestamp() + for_ms * interval '1 ms',
           waits_since = case when i.news is null then i.waits_since else clock_timestamp() + for_ms * interval '1 ms' end
     where i.incident_id = id returning 1)
  select exists (select from silenced)
$$;
revoke all on function incident_silence(bigint, int) from public;
grant execute on function incident_silence(bigint, int) to signalbox_app;
