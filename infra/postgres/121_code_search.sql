-- What searches read of the repositories of projects. A blob is indexed once, whatever commits and projects hold it; which paths of a commit
-- hold it is a small table of its own. What a person may see is decided by the project of a path.
create table code_texts (
  text_id  bigint generated always as identity primary key,
  blob     text not null check (blob ~ '^[0-9a-f]{40,64}$'),
  form     text not null,               -- how it was split, with the version of that: `docs#1`, `TypeScript#1`
  is_docs  boolean not null,
  made_at  timestamptz not null default now(),
  unique (blob, form)
);

create table code_passages (
  passage_id bigint generated always as identity primary key,
  text_id    bigint not null references code_texts on delete cascade,
  line       int not null,              -- of the first line, from 1
  heading    text not null,             -- of a document its headings, of code the names that it defines
  content    text not null,             -- without secrets
  search     tsvector not null
);
create index code_passages_of on code_passages (text_id);
create index code_passages_search on code_passages using gin (search);
create index code_passages_alike on code_passages using gin (content gin_trgm_ops);
-- Ranking reads many of these words, so they stay in the row.
alter table code_passages set (toast_tuple_target = 8160);
alter table code_passages alter column content set storage main;
alter table code_passages alter column search set storage main;

-- Functions, methods, types and other names that a text defines.
create table code_symbols (
  text_id bigint not null references code_texts on delete cascade,
  line    int not null,
  name    text not null,
  kind    text not null
);
create index code_symbols_of on code_symbols (text_id);
create index code_symbols_by_name on code_symbols (lower(name));
create index code_symbols_alike on code_symbols using gin (name gin_trgm_ops);

-- The commits of a project that are searched: that of its main branch, and those that are deployed.
create table code_refs (
  project    text not null references projects (name),
  commit     text not null check (commit ~ '^[0-9a-f]{40,64}$'),
  names      text[] not null,           -- the branch, or what deployments asked for
  is_main    boolean not null,
  counts     jsonb not null,            -- {files, indexed, left: {binary: {count, paths} …}}
  indexed_at timestamptz not null default now(),
  primary key (project, commit)
);

create table code_paths (
  project text not null,
  commit  text not null,
  path    text not null,
  text_id bigint not null references code_texts,
  weight  real not null,                -- tests, examples and lists of changes come after the rest
  words   tsvector not null,
  primary key (project, commit, path),
  foreign key (project, commit) references code_refs on delete cascade
);
create index code_paths_of on code_paths (text_id);
create index code_paths_words on code_paths using gin (words);
