-- Secrets of people: what they sent by accident, and what they gave us under a name. See docs/secrets.md.

-- personal data: user_key. The value is sealed (AES-256-GCM) with a key that is never in the database.
create table secrets (
  user_key   text not null,              -- whose it is; nobody else's turn can use it
  handle     text not null check (handle like 'secret:%'),
  kind       text not null,              -- what it looked like, such as aws-key; `named` when the person gave it a name
  ciphertext bytea not null,             -- nonce, sealed value, tag; bound to the handle and the person
  created_at timestamptz not null default now(),
  expires_at timestamptz,                -- null: kept until its owner deletes it
  used_at    timestamptz,
  primary key (user_key, handle)
);
create index secrets_by_expiry on secrets (expires_at) where expires_at is not null;
