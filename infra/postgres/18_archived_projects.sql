-- The names of archived projects are read with those that live, and no more of the table is.
create index projects_archived on projects (created_at desc) where status = 'archived';
