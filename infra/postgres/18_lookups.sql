-- What is looked up again and again is found by an index, so that no table is read whole.
-- The names of archived projects are read with those that live.
create index projects_archived on projects (created_at desc) where status = 'archived';
-- Whose turn it is to be looked at.
create index services_due on services (look_at nulls first) where serving is not null;
