-- What an id stands for, so that nobody is handed the result, the job or the permission of another action under the same id.

-- The id of the message that began the turn. A turn that is resumed has another turn_id and the same key. Null in rows of before.
alter table actions add column turn_key text;

-- SHA-256 of who asked for the run, in which conversation, by which tool and with which arguments. Null for what no tool asked for.
alter table runs add column request_hash text;

-- Where a grant holds: {agent, chatKey, environment, resources, toolVersion}. Null in grants of before, which fit nothing any more.
alter table grants add column place jsonb;

-- As in 012_governance.sql and 017_planned_once.sql, but a grant fits the very same call alone: an argument that it does not have
-- is no wildcard.
--   in: also `place`, what the action has of what stands in grants.place; null where no grant is asked for
drop function governance_facts(text, text, jsonb);
create function governance_facts(u text, tool_name text, args jsonb, place_now jsonb)
returns table (frozen boolean, break_glass boolean, grant_id text, operators int, admins int, calls int, tokens bigint, cost_usd float8)
language sql stable as $$
  select exists (select 1 from settings s where s.key = 'freeze'),
         exists (select 1 from settings s where s.key = 'break_glass' and (s.value ->> 'until')::timestamptz > now()),
         (select g.grant_id from grants g
           where g.user_key = u and g.tool = tool_name and g.revoked_at is null and g.uses_left > 0 and g.expires_at > now()
             and g.match = args and g.place = place_now order by g.expires_at, g.grant_id limit 1),
         (select count(*)::int from users x where x.user_key <> u and x.role in ('operator', 'admin')),
         (select count(*)::int from users x where x.user_key <> u and x.role = 'admin'),
         (select count(*)::int from actions a where a.user_key = u and a.started_at > now() - interval '1 hour'),
         (select coalesce(sum((t.usage ->> 'inputTokens')::bigint + (t.usage ->> 'outputTokens')::bigint), 0)::bigint
            from turns t where t.user_key = u and t.started_at > now() - interval '1 day'),
         (select coalesce(sum((t.usage ->> 'costUsd')::float8), 0)
            from turns t where t.user_key = u and t.started_at > now() - interval '1 day')
$$;
