-- Requests that waited when the release came that shows a request in full and binds it to the code that runs: what their cards
-- showed was not all that would have been done, so nobody may decide about them any more. They are void, in one transaction with the
-- event that says so, a word to whoever asked, and the end of each card where it stands. Nothing of them has begun.
with gone as (
  update approvals set status = 'void', decided_at = clock_timestamp(), decided_by = null, reason = 'Signalbox was updated while it waited'
   where status in ('pending', 'approved')
  returning *,
    -- A name of before could hold anything: no sign of it formats, and no line of it passes for one of ours.
    left(regexp_replace(card ->> 'what', '[^[:alnum:] .,:/@#-]+', ' ', 'g'), 200) as what),
ended as (
  update actions a set status = 'void', settled_at = clock_timestamp() from gone g
   where a.action_id = g.action_id and a.status = 'waiting'),
recorded as (
  select audit_append(jsonb_agg(jsonb_build_object(
           'kind', 'approval.voided', 'actor', 'system', 'approvalId', g.approval_id, 'actionId', g.action_id, 'threadId', g.thread_id,
           'turnId', g.turn_id, 'policyVersion', g.policy, 'data', jsonb_build_object('rule', g.rule, 'hash', g.hash, 'reason', g.reason)))) as done
    from gone g having count(*) > 0),
told as (
  select jsonb_build_object(
           'key', g.approval_id || ':updated', 'chatKey', g.chat_key, 'userKey', g.user_key, 'threadId', g.thread_id, 'turnId', null,
           'traceId', g.trace_id, 'priority', 0, 'slot', null,
           'body', jsonb_build_object('buttons', '[]'::jsonb, 'text',
             '**' || g.what || '** waited for approval when Signalbox was updated, and is no longer valid. Nothing was changed. '
             || 'If you still want it, ask for it again: the new request shows all that it would do.' || E'\n_' || g.approval_id || '_')) as line
    from gone g
  union all
  select jsonb_build_object(
           'key', g.approval_id || ':' || c.chat_key || ':updated', 'chatKey', c.chat_key, 'userKey', null, 'threadId', g.thread_id,
           'turnId', g.turn_id, 'traceId', g.trace_id, 'priority', 0, 'slot', g.approval_id,
           'body', jsonb_build_object('buttons', '[]'::jsonb, 'text',
             '**' || g.what || E'**\n\nNo longer valid: Signalbox was updated while it waited. Nothing was changed.\n_' || g.approval_id || '_'))
    from gone g, lateral (select distinct o.chat_key from outbox o where o.slot = g.approval_id) c)
select (select done from recorded), (select count(*) from outbox_put((select coalesce(jsonb_agg(line), '[]') from told)));
