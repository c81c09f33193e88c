-- Who is on call. A turn is computed from the clock of the zone whenever somebody asks; no offset is stored.
create table rotas (
  rota             text primary key check (rota ~ '^[a-z0-9][a-z0-9-]{0,30}$'),
  people           text[] not null check (cardinality(people) between 1 and 20), -- in the order of their turns
  projects         text[] not null default '{}', -- none: all projects that no other rota names
  weekday          int check (weekday between 0 and 6), -- of the hand-over, 0 is Sunday; null: every day
  clock            text not null check (clock ~ '^[0-2][0-9]:[0-5][0-9]$'), -- of the hand-over
  zone             text not null,
  first_day        date not null, -- in that zone, when the turn of the first person began
  escalate_minutes int not null check (escalate_minutes between 1 and 1440),
  changed_at       timestamptz not null default clock_timestamp()
);

-- Somebody is on call instead of whose turn it is.
create table rota_covers (
  cover_id bigint generated always as identity primary key,
  rota     text not null references rotas on delete cascade,
  user_key text not null,
  from_at  timestamptz not null,
  until_at timestamptz not null,
  check (from_at < until_at)
);
create index rota_covers_of on rota_covers (rota, from_at);

-- The hand-overs that were told: each once, whichever process took it.
create table rota_handovers (
  rota   text not null references rotas on delete cascade,
  at     timestamptz not null,
  leaves text not null,
  comes  text not null,
  primary key (rota, at)
);

alter table incidents
  add column words     jsonb, -- what its message says, for those who are told later
  add column escalates boolean not null default false; -- somebody else is told when nobody takes it
create index incidents_escalating on incidents (told_at) where escalates;

-- Each message of an incident has the slot `incident:<id>` or, for what is told later, `incident:<id>/<key>`.
drop index outbox_of_incidents;
create index outbox_of_incidents on outbox (split_part(slot, '/', 1), id) where slot like 'incident:%';

-- The persons who were told of an incident, each once.
create table incident_tellings (
  incident_id bigint not null references incidents on delete cascade,
  person      text not null,
  user_key    text not null,
  told_at     timestamptz not null default now(), -- equal for those who were told at once
  primary key (incident_id, person)
);
