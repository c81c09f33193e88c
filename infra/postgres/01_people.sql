-- People: who may write, who let them in, and what they keep here.

create table users (
  user_key   text primary key,
  channel    text not null,
  name       text not null,
  role       text not null check (role in ('viewer', 'developer', 'operator', 'admin')),
  created_at timestamptz not null default now()
);

create table settings (
  key        text primary key,
  value      jsonb not null,
  updated_at timestamptz not null default now()
);

-- An invitation lets one person in, once, before it expires. Only the hash of its code is stored. It counts only while the admin who
-- made it is an admin.
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

-- Wrong codes, so that guessing can be limited, per person and over all. Kept for a day.
create table code_tries (
  user_key text not null,
  tried_at timestamptz not null default now()
);
create index code_tries_by_time on code_tries (tried_at);

-- Secrets that people sent by accident, or gave us under a name: see docs/secrets.md.
-- personal data: user_key. The value is sealed (AES-256-GCM) with a key that is never in the database.
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

-- Lets a person in, or gives them another role. A null name keeps the one that is known.
--   out: 'added', 'changed', 'same' or 'last admin' (nothing was written; `force` overrules it)
-- All admins are locked before they are counted: two admins who demote each other at the same time leave one.
create function user_allow(u text, ch text, n text, r text, force boolean) returns text language plpgsql volatile as $$
declare had text;
begin
  perform 1 from users x where x.role = 'admin' order by x.user_key for update;
  select x.role into had from users x where x.user_key = u for update;
  if had = 'admin' and r <> 'admin' and not force and user_is_last_admin(u) then return 'last admin'; end if;
  insert into users (user_key, channel, name, role) values (u, ch, coalesce(n, u), r)
    on conflict (user_key) do update set role = excluded.role, name = coalesce(n, users.name);
  return case when had is null then 'added' when had = r then 'same' else 'changed' end;
end $$;

-- Makes a person a stranger again.
--   out: 'removed', 'stranger' (had no role) or 'last admin' (nothing was written; `force` overrules it)
create function user_deny(u text, force boolean) returns text language plpgsql volatile as $$
declare had text;
begin
  perform 1 from users x where x.role = 'admin' order by x.user_key for update;
  select x.role into had from users x where x.user_key = u for update;
  if had is null then return 'stranger'; end if;
  if had = 'admin' and not force and user_is_last_admin(u) then return 'last admin'; end if;
  delete from users x where x.user_key = u;
  return 'removed';
end $$;

-- Read under the lock of all admins.
create function user_is_last_admin(u text) returns boolean language sql volatile as $$
  select not exists (select 1 from users x where x.role = 'admin' and x.user_key <> u)
$$;
