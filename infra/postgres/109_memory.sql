-- Documents to search, and facts that people asked to remember. Conversations are not copied: searches read inbox and outbox.
set local check_function_bodies = off;

-- Finds mistyped words. Part of every Postgres distribution; a database owner may create it.
create extension if not exists pg_trgm;

create table knowledge (
  id         bigint generated always as identity primary key,
  scope      text not null check (scope in ('docs', 'code', 'logs')),
  source     text not null,
  position   int not null,
  heading    text not null,
  content    text not null,
  hash       text not null,
  indexed_at timestamptz not null default now(),
  -- English for meaning (deploys finds deployment), simple for names and words that English drops.
  search     tsvector not null generated always as (
    setweight(to_tsvector('english', heading) || to_tsvector('simple', heading), 'A') ||
    setweight(to_tsvector('english', content) || to_tsvector('simple', content), 'C')) stored,
  unique (scope, source, position)
);
create index knowledge_search on knowledge using gin (search);

-- All words of four letters and more that were ever indexed, with which mistyped words are compared: comparing 10,000 passages took 7 s, this
-- takes milliseconds. Words are never removed; a word that no passage has finds nothing.
create table knowledge_words (word text primary key);
create index knowledge_words_alike on knowledge_words using gin (word gin_trgm_ops);

-- One row per person with a memory, under the key of their first identity. `version` grows with each change in the same transaction, so a
-- worker reads the memory again only for a new version.
create table memories (
  person       text primary key,
  version      bigint not null default 1,
  last_n       int not null default 0,   -- the number of the newest fact; a number is never given twice
  forgotten_to timestamptz               -- conversations that were last active before it are forgotten
);

create table memory_facts (
  person    text not null references memories,
  n         int not null,
  fact      text not null check (length(fact) between 1 and 300), -- without secrets
  outside   text,                        -- where text from outside was read that it may have come from; null: the person's own words
  user_key  text not null,               -- the identity that asked for it
  thread_id text not null,
  action_id text not null unique,
  made_at   timestamptz not null default clock_timestamp(),
  primary key (person, n)
);
create index memory_facts_shown on memory_facts (person, n desc) where outside is null;
create trigger effect_noted after insert on memory_facts for each row execute function effect_noted('action_id');

create table memory_forgotten (
  person    text not null references memories,
  thread_id text not null,
  primary key (person, thread_id)
);

-- True when only this person reads the chat.
create function is_private_to(keys text[], chat text) returns boolean language sql immutable parallel safe as $$
  select chat_root(chat) = any (select private_chat(k) from unnest(keys) k)
$$;
