-- People who keep notes, and their notes.

create table shelf_people (
  user_key text primary key,
  since    timestamptz not null default now()
);

-- One row for each action, so that an action that runs again adds nothing. Rows are never changed.
create table shelf_notes (
  action_id text primary key,
  user_key  text not null references shelf_people (user_key),
  text      text not null check (length(text) between 1 and 500),
  added_at  timestamptz not null default clock_timestamp()
);
create index shelf_notes_by_person on shelf_notes (user_key, added_at);
create trigger effect_noted after insert on shelf_notes for each row execute function effect_noted('action_id');
