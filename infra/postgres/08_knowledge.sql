-- What can be searched: passages of documents, with the place they come from.
-- Conversations are not copied here: they are searched where they are, in inbox and outbox.

-- Finds words that were mistyped. Part of every Postgres distribution; a database owner may create it.
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

-- Every word of four letters and more that was ever indexed: what a mistyped word of a question is compared with.
-- Comparing it with the passages themselves took 7 s over 10,000 of them; this takes milliseconds. Words are never removed:
-- one that no passage holds any more finds nothing.
create table knowledge_words (word text primary key);
create index knowledge_words_alike on knowledge_words using gin (word gin_trgm_ops);
