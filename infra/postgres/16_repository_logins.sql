-- What a private repository is read with: the handle of a secret, and who gave it. {"handle": "secret:…", "givenBy": user_key}
alter table projects add column repository_login jsonb;
