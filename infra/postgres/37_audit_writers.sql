-- Who wrote an event is in the event, and each service records only its own kinds.

-- The role whose rights the connection had; null in what was recorded before. Where it is there, it is a part of what is hashed.
alter table audit_events add column written_by text;

-- Whether a role records events of this kind in this actor's name; null for what is no role of a service. `migrate` writes into it what
-- shared/store/src/migrations/service-kinds.ts says, a moment after this.
create function audit_may(writer text, kind text, actor text) returns boolean language sql immutable parallel safe as $$ select true $$;

-- As before, for events that the caller may record. A plan that knows the writer looks cheaper and would be made anew for each call.
create or replace function audit_append(events jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  -- The role that was taken, else the login. Nobody takes a role of which their login is no member; the current user is the owner here.
  writer  text := coalesce(nullif(current_setting('role'), 'none'), session_user);
  refused text;
begin
  perform from jsonb_array_elements(events) e where public.audit_may(writer, e ->> 'kind', e ->> 'actor') is not true;
  if found then
    -- A login that took no role records what the roles that it is a member of may.
    select e ->> 'kind' into refused from jsonb_array_elements(events) e
     where not exists (select from pg_roles r where starts_with(r.rolname, 'signalbox_') and pg_has_role(writer, r.oid, 'usage')
                          and public.audit_may(r.rolname, e ->> 'kind', e ->> 'actor'))
     limit 1;
    if found then
      raise exception '% may not record % in this name', writer, refused using errcode = 'insufficient_privilege';
    end if;
  end if;
  with written as (
    insert into public.audit_events (kind, actor, thread_id, turn_id, action_id, approval_id, policy_version, data, written_by)
    select e ->> 'kind', e ->> 'actor', e ->> 'threadId', e ->> 'turnId', e ->> 'actionId', e ->> 'approvalId', e ->> 'policyVersion', e -> 'data',
           writer
      from jsonb_array_elements(events) with ordinality as given (e, n) order by n
    returning event_id)
  insert into public.audit_unsealed (event_id) select event_id from written;
end $$;

-- A sealer says by which form of the leaf it hashed: 2 has `writtenBy`. One of an older release, which knows of none, seals nothing more.
drop function audit_seal(bigint, bigint[], bytea[]);
create function audit_seal(first_seq bigint, event_ids bigint[], leaf_hashes bytea[], leaf_form int) returns bytea
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  last_seq  bigint;
  last_hash bytea;
  taken     bigint;
  place     record;
begin
  if leaf_form is distinct from 2 then raise exception 'events are hashed in form 2 here, and not in form %', leaf_form; end if;
  -- One at a time. A call that waited sees what the other wrote: each statement here has a snapshot of its own.
  perform pg_advisory_xact_lock(hashtextextended('signalbox audit seal', 0));
  select c.seq, c.hash into last_seq, last_hash from public.audit_chain c order by c.seq desc limit 1;
  if first_seq <> coalesce(last_seq, 0) + 1 then return null; end if;
  last_hash := coalesce(last_hash, '\x'::bytea);
  with gone as (delete from public.audit_unsealed u where u.event_id = any (event_ids) returning 1)
  select count(*) into taken from gone;
  if taken <> cardinality(event_ids) or taken <> cardinality(leaf_hashes) then
    raise exception 'of % events with % hashes, % were waiting for their place', cardinality(event_ids), cardinality(leaf_hashes), taken;
  end if;
  for place in select * from unnest(event_ids, leaf_hashes) with ordinality as given (event_id, leaf_hash, n) order by n loop
    last_hash := sha256('\x02'::bytea || last_hash || place.leaf_hash);
    insert into public.audit_chain (seq, event_id, leaf_hash, hash)
    values (first_seq + place.n - 1, place.event_id, place.leaf_hash, last_hash);
  end loop;
  return last_hash;
end $$;
revoke all on function audit_seal(bigint, bigint[], bytea[], int) from public;
grant execute on function audit_seal(bigint, bigint[], bytea[], int) to signalbox_app;
