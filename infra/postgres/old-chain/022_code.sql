-- What a deployment was decided about: repository, commit, server, build, names of variables. The job runs that and nothing else.
alter table deployments add column plan jsonb;  -- null: it was asked for before plans were kept
