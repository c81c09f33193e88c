-- When a forge was last asked whether the run of a gate still waits; null before the first time.
alter table gates add column looked_at timestamptz;
