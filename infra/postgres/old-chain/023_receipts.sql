-- A receipt shows the beginning of the id of its action, and that opens it.
create index actions_by_beginning on actions (action_id text_pattern_ops);
