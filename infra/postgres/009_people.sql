-- Letting people in, and sending them away, from the chat.

-- An invitation lets one person in, once, within its time. The code is never stored, only its hash. It counts only while whoever
-- made it is an admin.
create table invitations (
  code_hash  text primary key,
  role       text not null check (role in ('viewer', 'developer', 'operator', 'admin')),
  name       text,                 -- whom it is for, in the words of whoever made it
  invited_by text not null,
  chat_key   text not null,        -- where whoever made it is told
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

-- A message whose text holds a secret, such as a code, brings along what is to be kept instead once it was delivered or given up.
create function outbox_forget() returns trigger language plpgsql as $$
begin
  new.body := (new.body - 'afterwards') || jsonb_build_object('text', new.body -> 'afterwards');
  return new;
end $$;
create trigger outbox_forget before update of status on outbox for each row
  when (new.status in ('sent', 'superseded', 'undeliverable', 'failed') and new.body ? 'afterwards') execute function outbox_forget();
