-- The trace of the program that sent an event, where the event's request goes on in it. One request at most goes on in a trace: rows of a
-- request are found by its trace, and another request with the same trace would be mixed up with it.
alter table ingress_events add column trace_id text;
create unique index ingress_events_by_trace on ingress_events (trace_id) where trace_id is not null;
