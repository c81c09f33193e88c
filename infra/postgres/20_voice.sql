-- Voice notes that are turned into text, one row for each message that is nothing but one.
--   waiting → (claimed: tries, lease_until) → asked → confirmed | declined | void
--                                           └→ failed: the person was told why
create table voice_notes (
  inbox_id    bigint primary key references inbox (id),
  status      text not null default 'waiting' check (status in ('waiting', 'asked', 'confirmed', 'declined', 'void', 'failed')),
  -- Claims so far. It is the fencing token too: what another claim has taken over writes nothing any more.
  tries       int not null default 0,
  lease_until timestamptz,
  -- What was heard, without secrets, while its sender is asked about it.
  transcript  text,
  asked_at    timestamptz,
  -- The newest message of its sender at that time: what they write after it voids the question.
  asked_after bigint
);
create index voice_notes_waiting on voice_notes (inbox_id) where status = 'waiting';
create index voice_notes_asked on voice_notes (inbox_id) where status = 'asked';
