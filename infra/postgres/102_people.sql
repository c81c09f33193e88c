set local check_function_bodies = off;

-- People: who may write, who invited them, and what they store. One person may write from several accounts, called identities.
create table users (
  user_key   text primary key,
  channel    text not null,
  name       text not null,
  role       text not null check (role in ('viewer', 'developer', 'operator', 'admin')),
  person     text not null,              -- the key of the person's first identity, which always has a row; all their identities have one role
  is_program boolean not null default false, -- a program: it is asked for no decision, and nobody typed its words
  language   text,                       -- chosen with /language
  client_language text,                  -- of the client, as its channel gives it; counts while none was chosen
  created_at timestamptz not null default now()
);

-- Each approval request counts the possible approvers, so operators and admins have an index.
create index users_who_approve on users (role, user_key) where role in ('operator', 'admin');
create index users_by_person on users (person);

create table settings (
  key        text primary key,
  value      jsonb not null,
  updated_at timestamptz not null default now()
);

-- An invitation gives one person a role, once, before it expires. Only the hash of its code is stored. It is void when its author is no
-- longer an admin.
create table invitations (
  code_hash  text primary key,
  role       text not null check (role in ('viewer', 'developer', 'operator', 'admin')),
  name       text,                 -- the person it is for, in the admin's words
  invited_by text not null,
  chat_key   text not null,        -- where the admin hears that it was used
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_by    text,
  used_at    timestamptz,
  voided_at  timestamptz
);
create index invitations_open on invitations (expires_at) where used_at is null and voided_at is null;

-- Wrong codes per person and in total, to limit guessing. Kept for a day.
create table code_tries (
  user_key text not null,
  tried_at timestamptz not null default now()
);
create index code_tries_by_time on code_tries (tried_at);

-- Secrets that people sent by accident or stored under a name: see docs/secrets.md. Personal data: user_key. The value is sealed
-- (AES-256-GCM) with a key that is never in the database.
create table secrets (
  user_key   text not null,              -- the owner; no other person's turn can use it
  handle     text not null check (handle like 'secret:%'),
  kind       text not null,              -- what it looked like, such as aws-key; `named` when the person gave it a name
  ciphertext bytea not null,             -- nonce, sealed value, tag; bound to the handle and the person
  created_at timestamptz not null default now(),
  expires_at timestamptz,                -- null: kept until its owner deletes it
  used_at    timestamptz,
  primary key (user_key, handle)
);
create index secrets_by_expiry on secrets (expires_at) where expires_at is not null;

-- Gives a person a role. A null name keeps the known name.
--   out: 'added', 'changed', 'same' or 'last admin' (nothing was written; `force` skips this check)
-- All admins are locked before they are counted, so two admins who demote each other at the same time leave one.
create function user_allow(u text, ch text, n text, r text, force boolean) returns text language plpgsql volatile as $$
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

-- Removes the role of a person.
--   out: 'removed', 'stranger' (had no role) or 'last admin' (nothing was written; `force` skips this check)
create function user_deny(u text, force boolean) returns text language plpgsql volatile as $$
declare had text;
begin
  perform 1 from users x where x.role = 'admin' order by x.user_key for update;
  select x.role into had from users x where x.user_key = u for update;
  if had is null then return 'stranger'; end if;
  if had = 'admin' and not force and user_is_last_admin(u) then return 'last admin'; end if;
  delete from users x where x.person = person_of(u);
  return 'removed';
end $$;

-- Reads under the lock of all admins. A program cannot invite anybody.
create function user_is_last_admin(u text) returns boolean language sql volatile as $$
  select not exists (select 1 from users x where x.role = 'admin' and not x.is_program and x.person <> person_of(u))
$$;

create function user_language(u text) returns text language sql stable parallel safe as $$
  select coalesce(x.language, x.client_language) from users x where x.user_key = u
$$;

create function user_is_first() returns trigger language plpgsql as $$
begin
  new.person := coalesce(new.person, new.user_key);
  return new;
end $$;
create trigger user_is_first before insert on users for each row execute function user_is_first();

-- A code that links another account to a person, once, within ten minutes. Only its hash is stored.
create table identity_codes (
  code_hash  text primary key,
  person     text not null,
  made_by    text not null,              -- the identity that asked for it
  expires_at timestamptz not null,
  used_by    text,
  used_at    timestamptz
);
create index identity_codes_by_time on identity_codes (expires_at);

-- Returns the person of an identity; an identity without a role is its own person.
create function person_of(u text) returns text language sql stable parallel safe as $$
  select coalesce((select x.person from users x where x.user_key = u), u)
$$;

-- Returns all identities of the person of an identity.
create function identities_of(u text) returns text[] language sql stable parallel safe as $$
  select array_append((select array_agg(x.user_key) from users x where x.person = person_of(u) and x.user_key <> u), u)
$$;

-- Returns the persons of these identities, each once.
create function persons_of(keys text[]) returns text[] language sql stable parallel safe as $$
  select coalesce(array_agg(distinct person_of(k)), '{}') from unnest(keys) k
$$;

-- Returns the key of a person's private chat. A Telegram id is a number; ids of other channels begin with the channel's name and a hyphen.
create function private_chat(u text) returns text language sql immutable parallel safe as $$
  select case when u ~ '^[0-9]+$' then 'telegram:' || u else regexp_replace(u, '-', ':') end
$$;
