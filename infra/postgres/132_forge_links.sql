-- A one-time code with which a person proves that an account at a forge is theirs: this login writes it there, and the forge reports it.
create table forge_links (
  code_hash  text primary key,
  user_key   text not null,              -- who asked for it
  chat_key   text not null,              -- where they hear of it
  forge      text not null check (forge in ('github', 'gitlab')),
  login      text not null,
  expires_at timestamptz not null
);
