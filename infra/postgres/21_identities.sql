-- One person may write from several accounts: their identities. All rows of users with one `person` are that person's, who has one role.
-- `person` is the key of the first identity, which always has a row.
alter table users add column person text;
update users set person = user_key;
alter table users alter column person set not null;
create function user_is_first() returns trigger language plpgsql as $$
begin
  new.person := coalesce(new.person, new.user_key);
  return new;
end $$;
create trigger user_is_first before insert on users for each row execute function user_is_first();
-- A program writes under this key, for a person or for itself: it is asked for no decision, and its words are nobody's own.
alter table users add column is_program boolean not null default false;
create index users_by_person on users (person);

-- A code that makes another account an identity of a person, once, for ten minutes. Only its hash is stored.
create table identity_codes (
  code_hash  text primary key,
  person     text not null,
  made_by    text not null,              -- the identity that asked for it
  expires_at timestamptz not null,
  used_by    text,
  used_at    timestamptz
);
create index identity_codes_by_time on identity_codes (expires_at);

-- The person behind an identity; whoever has no role is only themselves.
create function person_of(u text) returns text language sql stable parallel safe as $$
  select coalesce((select x.person from users x where x.user_key = u), u)
$$;

-- All keys of the person behind an identity.
create function identities_of(u text) returns text[] language sql stable parallel safe as $$
  select array_append((select array_agg(x.user_key) from users x where x.person = person_of(u) and x.user_key <> u), u)
$$;

-- Each person once.
create function persons_of(keys text[]) returns text[] language sql stable parallel safe as $$
  select coalesce(array_agg(distinct person_of(k)), '{}') from unnest(keys) k
$$;

-- The key of a person's private chat: a Telegram id is a number, ids of other channels begin with the channel's name and a hyphen.
create function private_chat(u text) returns text language sql immutable parallel safe as $$
  select case when u ~ '^[0-9]+$' then 'telegram:' || u else regexp_replace(u, '-', ':') end
$$;

create or replace function user_allow(u text, ch text, n text, r text, force boolean) returns text language plpgsql volatile as $$
declare had text;
begin
  perform 1 from users x where x.role = 'admin' order by x.user_key for update;
  select x.role into had from users x where x.user_key = u for update;
  if had = 'admin' and r <> 'admin' and not force and user_is_last_admin(u) then return 'last admin'; end if;
  insert into users (user_key, channel, name, role, person) values (u, ch, coalesce(n, u), r, u)
    on conflict (user_key) do update set name = coalesce(n, users.name);
  update users x set role = r where x.person = person_of(u) and x.role <> r;
  return case when had is null then 'added' when had = r then 'same' else 'changed' end;
end $$;

create or replace function user_deny(u text, force boolean) returns text language plpgsql volatile as $$
declare had text;
begin
  perform 1 from users x where x.role = 'admin' order by x.user_key for update;
  select x.role into had from users x where x.user_key = u for update;
  if had is null then return 'stranger'; end if;
  if had = 'admin' and not force and user_is_last_admin(u) then return 'last admin'; end if;
  delete from users x where x.person = person_of(u);
  return 'removed';
end $$;

-- Read under the lock of all admins. A program lets nobody in.
create or replace function user_is_last_admin(u text) returns boolean language sql volatile as $$
  select not exists (select 1 from users x where x.role = 'admin' and not x.is_program and x.person <> person_of(u))
$$;

-- As before; who else could approve is counted by person, and so is what a person has used.
create or replace function governance_facts(u text, tool_name text, args jsonb, place_now jsonb)
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
