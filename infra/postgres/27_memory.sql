-- Memory: what people asked to have remembered. What a conversation came to is not copied: the ledger has it, and here stands only which
-- conversations a person wants forgotten.

-- One row for each person who has a memory, under the key of their first identity. `version` grows in the transaction that changes the
-- memory, so a worker that has read it need not read it again before it sees another version.
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

-- Whether a chat is one in which nobody but this person reads.
create function is_private_to(keys text[], chat text) returns boolean language sql immutable parallel safe as $$
  select chat_root(chat) = any (select private_chat(k) from unnest(keys) k)
$$;

-- What a prompt is told of a person is read in each turn.
create index projects_by_owner on projects (owner, updated_at desc) where status <> 'archived';
