-- How a project is built, started and checked, as people said in the chat: see RunSettings in shared/contracts.
alter table projects add column run jsonb not null default '{}';
