-- What role somebody had when they approved: a card names people with it. Null for votes of before.
alter table approval_votes add column role text;
