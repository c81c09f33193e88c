-- Mortgages: the products on offer, the register that addresses are checked against, and visits to a branch that people asked for.
-- Everything here may be there already: a database of before the plug-in has these tables.

create table if not exists mortgage_products (
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
create index if not exists mortgage_products_by_fix on mortgage_products (fix_years, rate) where is_offered;

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
  ('fix10-85', 10, 85, 4.990, 7.490, 999, 'all')
on conflict do nothing;

-- The register of properties. Whoever runs this for real fills it; the rows below are of a town that does not exist.
create table if not exists mortgage_addresses (
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
  ('adr-8', 'QX30PT', '105', 'Points Lane', 'Lower Signal')
on conflict do nothing;

-- Visits to a branch, one row per action. Rows are never changed.
create table if not exists mortgage_branch_requests (
  action_id    text primary key,
  request_id   text not null unique,
  user_key     text not null,
  product_id   text references mortgage_products (product_id),
  requested_at timestamptz not null default clock_timestamp()
);
create index if not exists mortgage_branch_requests_by_person on mortgage_branch_requests (user_key, requested_at);
create or replace trigger effect_noted after insert on mortgage_branch_requests for each row execute function effect_noted('action_id');

revoke update, delete on mortgage_branch_requests from signalbox_app;
