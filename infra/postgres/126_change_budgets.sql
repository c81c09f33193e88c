-- What the nodes of a change of code use counts in the budget of the person who asked for the change.

-- As before; tokens and cost include those of the steps of changes.
create or replace function governance_facts(u text, tool_name text, args jsonb, place_now jsonb)
returns table (frozen boolean, break_glass boolean, grant_id text, operators int, admins int, calls int, tokens bigint, cost_usd float8)
language sql stable as $$
  with used as (
    select (t.usage ->> 'inputTokens')::bigint + (t.usage ->> 'outputTokens')::bigint as tokens, (t.usage ->> 'costUsd')::float8 as cost_usd
      from turns t where t.user_key = any (identities_of(u)) and t.started_at > now() - interval '1 day'
    union all
    select s.input_tokens::bigint + s.output_tokens, s.cost_usd
      from engineering_changes c join engineering_steps s using (change_id)
     where c.user_key = any (identities_of(u)) and c.updated_at > now() - interval '1 day' and s.at > now() - interval '1 day')
  select exists (select 1 from settings s where s.key = 'freeze'),
         exists (select 1 from settings s where s.key = 'break_glass' and (s.value ->> 'until')::timestamptz > now()),
         (select g.grant_id from grants g
           where g.user_key = u and g.tool = tool_name and g.revoked_at is null and g.uses_left > 0 and g.expires_at > now()
             and g.match = args and g.place = place_now order by g.expires_at, g.grant_id limit 1),
         (select count(distinct x.person)::int from users x
           where x.person <> person_of(u) and not x.is_program and x.role in ('operator', 'admin')),
         (select count(distinct x.person)::int from users x where x.person <> person_of(u) and not x.is_program and x.role = 'admin'),
         (select count(*)::int from actions a where a.user_key = any (identities_of(u)) and a.started_at > now() - interval '1 hour'),
         (select coalesce(sum(x.tokens), 0)::bigint from used x),
         (select coalesce(sum(x.cost_usd), 0) from used x)
$$;
