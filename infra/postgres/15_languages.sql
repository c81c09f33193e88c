-- The language that a person reads: the one that they chose with /language, else that of their client. Codes as channels give them.
alter table users add column language text, add column client_language text;

-- The language of whoever asked for a run, when they did.
alter table runs add column language text;

create function user_language(u text) returns text language sql stable parallel safe as $$
  select coalesce(x.language, x.client_language) from users x where x.user_key = u
$$;
