-- Payment cards of people, what was paid with them, branches of the bank, and codes by which people prove who they are.
-- Everything here may be there already: a database of before the plug-in has these tables.

-- No number of a card is stored. The last four digits tell people which card is meant, and the token tells the bank.
create table if not exists cards (
  card_id    text primary key,
  person     text not null,                -- users.person: whichever account they write from
  token      text not null unique default 'tok_' || replace(gen_random_uuid()::text, '-', ''),
  last4      text not null check (last4 ~ '^[0-9]{4}$'),
  kind       text not null check (kind in ('debit', 'credit')),
  status     text not null default 'active' check (status in ('ordered', 'active', 'frozen', 'cancelled')),
  risk       text not null default 'low' check (risk in ('low', 'medium', 'high')),
  address    text not null,                -- where a replacement is sent; nobody changes it in a chat
  replaces   text references cards (card_id),
  arrives_on date,
  created_at timestamptz not null default now()
);
-- A person names a card by its last four digits.
create unique index if not exists cards_by_last4 on cards (person, last4) where status <> 'cancelled';

create table if not exists card_cases (
  case_id   text primary key,
  card_id   text not null references cards (card_id),
  person    text not null,
  opened_at timestamptz not null default now(),
  taken_by  text                           -- the operator who looks after it
);
create index if not exists card_cases_by_person on card_cases (person, opened_at);

create table if not exists card_transactions (
  transaction_id text primary key,
  card_id        text not null references cards (card_id),
  at             timestamptz not null,
  merchant       text not null,
  amount_minor   int not null,
  currency       text not null check (currency ~ '^[A-Z]{3}$'),
  is_suspicious  boolean not null default false,
  case_id        text references card_cases (case_id)
);
create index if not exists card_transactions_by_card on card_transactions (card_id, at desc);

create table if not exists bank_branches (
  branch_id text primary key,
  name      text not null,
  city      text not null,
  street    text not null,
  hours     text not null
);

-- What actions did, one row each: an action that is carried out again finds its result here. Rows are never changed.
create table if not exists card_events (
  action_id text primary key,
  kind      text not null,
  person    text not null,
  result    jsonb not null,
  at        timestamptz not null default clock_timestamp()
);
create or replace trigger effect_noted after insert on card_events for each row execute function effect_noted('action_id');

-- A code that was sent to a person to find out whether it is them. The code is not stored. The gateway derives it from the id and a key
-- that the database has not, and leaves a keyed mark of it here, with which an answer is compared.
create table if not exists card_step_ups (
  challenge_id text primary key,
  user_key     text not null,              -- the account that has to answer
  person       text not null,
  sent_to      text not null,              -- the account that reads the code
  mark         text,                       -- null until it goes out
  status       text not null default 'waiting' check (status in ('waiting', 'verified', 'locked', 'replaced')),
  wrong_tries  int not null default 0,
  created_at   timestamptz not null default clock_timestamp(),
  sent_at      timestamptz,
  expires_at   timestamptz not null default clock_timestamp() + interval '10 minutes', -- counted from `sent_at` once it went out
  ended_at     timestamptz
);
create unique index if not exists card_step_ups_waiting on card_step_ups (user_key) where status = 'waiting';
create index if not exists card_step_ups_by_person on card_step_ups (person, created_at);
create index if not exists card_step_ups_by_reader on card_step_ups (sent_to, created_at);

-- Accounts whose person has proved who they are, until when, and how.
create table if not exists card_verifications (
  user_key   text primary key,
  by         text not null,                -- 'code', or the key of the operator who vouched
  at         timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);

revoke update, delete on card_events from signalbox_app;
