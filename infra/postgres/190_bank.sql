-- Payment cards of people, what was paid with them, branches of the bank, and codes by which people prove who they are.

-- No number of a card is stored. The last four digits tell people which card is meant, and the token tells the bank.
create table cards (
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
create unique index cards_by_last4 on cards (person, last4) where status <> 'cancelled';

create table card_cases (
  case_id   text primary key,
  card_id   text not null references cards (card_id),
  person    text not null,
  opened_at timestamptz not null default now(),
  taken_by  text                           -- the operator who looks after it
);
create index card_cases_by_person on card_cases (person, opened_at);

create table card_transactions (
  transaction_id text primary key,
  card_id        text not null references cards (card_id),
  at             timestamptz not null,
  merchant       text not null,
  amount_minor   int not null,
  currency       text not null check (currency ~ '^[A-Z]{3}$'),
  is_suspicious  boolean not null default false,
  case_id        text references card_cases (case_id)
);
create index card_transactions_by_card on card_transactions (card_id, at desc);

create table bank_branches (
  branch_id text primary key,
  name      text not null,
  city      text not null,
  street    text not null,
  hours     text not null
);

-- What actions did, one row each: an action that is carried out again finds its result here. Rows are never changed.
create table card_events (
  action_id text primary key,
  kind      text not null,
  person    text not null,
  result    jsonb not null,
  at        timestamptz not null default clock_timestamp()
);
create trigger effect_noted after insert on card_events for each row execute function effect_noted('action_id');

-- A code that was sent to a person to find out whether it is them. The code is not stored. The gateway derives it from the id and a key
-- that the database has not, and leaves a keyed mark of it here, with which an answer is compared.
create table card_step_ups (
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
create unique index card_step_ups_waiting on card_step_ups (user_key) where status = 'waiting';
create index card_step_ups_by_person on card_step_ups (person, created_at);
create index card_step_ups_by_reader on card_step_ups (sent_to, created_at);

-- Accounts whose person has proved who they are, until when, and how.
create table card_verifications (
  user_key   text primary key,
  by         text not null,                -- 'code', or the key of the operator who vouched
  at         timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
revoke update, delete on card_events from signalbox_app;

-- Mortgages: the products on offer, the register that addresses are checked against, and visits to a branch that people asked for.
create table mortgage_products (
  product_id     text primary key check (product_id ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(product_id) <= 40),
  fix_years      int not null check (fix_years between 1 and 15),
  max_ltv        numeric(5, 2) not null check (max_ltv > 0 and max_ltv <= 100),      -- percent of the property's value
  rate           numeric(6, 3) not null check (rate >= 0 and rate < 100),            -- percent a year while it is fixed
  follow_on_rate numeric(6, 3) not null check (follow_on_rate >= 0 and follow_on_rate < 100), -- percent a year afterwards
  fee            numeric(9, 2) not null default 0 check (fee >= 0),
  min_loan       numeric(12, 2) not null default 25000,
  max_loan       numeric(12, 2) not null default 1000000,
  currency       text not null default 'GBP' check (currency ~ '^[A-Z]{3}$'),
  customers      text not null default 'all' check (customers in ('all', 'existing', 'new')),
  is_offered     boolean not null default true,
  check (min_loan > 0 and min_loan <= max_loan)
);
create index mortgage_products_by_fix on mortgage_products (fix_years, rate) where is_offered;
insert into mortgage_products (product_id, fix_years, max_ltv, rate, follow_on_rate, fee, customers) values
  ('fix2-60', 2, 60, 4.190, 7.490, 999, 'all'),
  ('fix2-60-nofee', 2, 60, 4.440, 7.490, 0, 'all'),
  ('fix2-75', 2, 75, 4.340, 7.490, 999, 'all'),
  ('fix2-75-existing', 2, 75, 4.240, 7.490, 0, 'existing'),
  ('fix2-85', 2, 85, 4.690, 7.490, 999, 'all'),
  ('fix2-90', 2, 90, 5.090, 7.490, 0, 'all'),
  ('fix2-95', 2, 95, 5.590, 7.490, 0, 'all'),
  ('fix3-60', 3, 60, 4.140, 7.490, 999, 'all'),
  ('fix3-75', 3, 75, 4.290, 7.490, 999, 'all'),
  ('fix3-90', 3, 90, 4.990, 7.490, 0, 'all'),
  ('fix5-60', 5, 60, 3.990, 7.490, 999, 'all'),
  ('fix5-60-nofee', 5, 60, 4.190, 7.490, 0, 'all'),
  ('fix5-75', 5, 75, 4.120, 7.490, 999, 'all'),
  ('fix5-75-new', 5, 75, 4.070, 7.490, 1499, 'new'),
  ('fix5-85', 5, 85, 4.390, 7.490, 999, 'all'),
  ('fix5-90', 5, 90, 4.790, 7.490, 0, 'all'),
  ('fix5-95', 5, 95, 5.240, 7.490, 0, 'all'),
  ('fix10-60', 10, 60, 4.490, 7.490, 999, 'all'),
  ('fix10-75', 10, 75, 4.640, 7.490, 999, 'all'),
  ('fix10-85', 10, 85, 4.990, 7.490, 999, 'all');

-- The register of properties. Whoever runs this for real fills it; the rows below are of a town that does not exist.
create table mortgage_addresses (
  address_id text primary key,
  postcode   text not null check (postcode ~ '^[A-Z0-9]{5,7}$'),          -- without its space
  house      text not null check (house ~ '^[0-9]{1,5}[a-z]?$'),
  street     text not null,
  town       text not null,
  unique (postcode, house)
);
insert into mortgage_addresses (address_id, postcode, house, street, town) values
  ('adr-1', 'QX11AA', '1', 'Lantern Street', 'Signal Bay'),
  ('adr-2', 'QX11AA', '2', 'Lantern Street', 'Signal Bay'),
  ('adr-3', 'QX11AA', '3a', 'Lantern Street', 'Signal Bay'),
  ('adr-4', 'QX12BD', '14', 'Semaphore Road', 'Signal Bay'),
  ('adr-5', 'QX12BD', '16', 'Semaphore Road', 'Signal Bay'),
  ('adr-6', 'QX23CE', '27', 'Harbour Row', 'Signal Bay'),
  ('adr-7', 'QX23CE', '29', 'Harbour Row', 'Signal Bay'),
  ('adr-8', 'QX30PT', '105', 'Points Lane', 'Lower Signal');

-- Visits to a branch, one row per action. Rows are never changed.
create table mortgage_branch_requests (
  action_id    text primary key,
  request_id   text not null unique,
  user_key     text not null,
  product_id   text references mortgage_products (product_id),
  requested_at timestamptz not null default clock_timestamp()
);
create index mortgage_branch_requests_by_person on mortgage_branch_requests (user_key, requested_at);
create trigger effect_noted after insert on mortgage_branch_requests for each row execute function effect_noted('action_id');
revoke update, delete on mortgage_branch_requests from signalbox_app;
