-- What only its requester may decide: a confirmation is an approval by whoever asked. Nobody is reminded of it, and nobody else sees it.
alter table approvals add column by_requester boolean not null default false;
