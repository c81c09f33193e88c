-- What policy was asked, and what it said, when an approval was used up or found void: a turn that goes on after a crash has decided
-- nothing itself, and its record would not have it otherwise.
alter table approvals add column used jsonb;
