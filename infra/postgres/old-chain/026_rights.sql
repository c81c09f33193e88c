-- A pool of jobs has its own rows of the tables that all pools share. Which those are stands in shared/src/db/service-rows.ts: `migrate`
-- makes a policy of it for the role of each service, since roles belong to the server and may be made after this. The owner of the
-- tables is not bound, and neither is the role of an installation that has one login for all services.
alter table runs enable row level security;
alter table inbox enable row level security;
alter table outbox enable row level security;
alter table approvals enable row level security;

create policy all_services on runs to signalbox_app using (true) with check (true);
create policy all_services on inbox to signalbox_app using (true) with check (true);
create policy all_services on outbox to signalbox_app using (true) with check (true);
create policy all_services on approvals to signalbox_app using (true) with check (true);

-- Whose job it is. `migrate` writes the names into it from the contract of the jobs.
create function job_pool(job text) returns text language sql immutable parallel safe as $$ select null::text $$;

-- Whether the card of a request stands in a chat: a pool changes cards where they are, and puts them nowhere else. With the owner's
-- rights, since a policy that looks into its own table would not end.
create function card_stands_in(approval text, chat text) returns boolean language sql stable security definer
  set search_path = pg_catalog, public as $$
  select exists (select from outbox o where o.chat_key = chat and o.slot = approval)
$$;
