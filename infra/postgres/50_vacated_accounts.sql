-- Accounts whose owner may have changed, such as a telephone number that somebody gave up. Such an account has no row in users, and so no
-- role anywhere, until its person or an admin confirms it.
create table vacated_accounts (
  user_key text primary key,
  account  jsonb not null,               -- its row of users
  why      text not null,
  since    timestamptz not null default now()
);

-- What a channel knows the owner of an account by, and the last event that said something of the owner.
create table account_marks (
  user_key text primary key,
  marks    jsonb not null default '{}',
  event    text
);

-- What is written for such an account is kept back, from whoever has it now; but not what a stranger there is told.
create function hold_for_owner() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.status in ('pending', 'sending') and new.key not like 'stranger:%'
     and exists (select from vacated_accounts v where private_chat(v.user_key) = chat_root(new.chat_key)) then
    new.status := 'undeliverable';
    new.error := 'its owner may have changed';
  end if;
  return new;
end $$;
revoke all on function hold_for_owner() from public;
create trigger hold_for_owner before insert or update of status on outbox for each row execute function hold_for_owner();

-- Names as channels gave them, without what a terminal obeys.
update users set name = regexp_replace(name, '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]', ' ', 'g')
 where name ~ '[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]';
