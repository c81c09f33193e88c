import { DATABASE_SERVICES, serviceRole } from './service-rights.ts';

const ROLES = ['public', 'signalbox_app', ...DATABASE_SERVICES.map(serviceRole)];

/**
 * The statement that takes from everybody what no service needs: temporary tables and things of their own beside our tables, which could
 * answer for ours, and functions with the owner's rights, which each service is given by name. Changes nothing the second time. What this
 * login may not take away stays: `doctor` says so.
 */
export const CLOSE_TO_OTHERS = `do $$
declare
  role_name text;
  f regprocedure;
  database_name text;
begin
  foreach role_name in array array[${ROLES.map((role) => `'${role}'`).join(', ')}] loop
    continue when role_name <> 'public' and to_regrole(role_name) is null;
    begin
      if has_database_privilege(role_name, current_database(), 'temporary, create') then
        execute format('revoke temporary, create on database %I from %s', current_database(), role_name);
      end if;
      if has_schema_privilege(role_name, 'public', 'create') then
        execute format('revoke create on schema public from %s', role_name);
      end if;
    exception when insufficient_privilege then null; -- the database is another's
    end;
  end loop;
  -- What a server of our own has besides: a login of a service gets into these too.
  for database_name in select datname from pg_database where datname in ('postgres', 'template1')
      and pg_get_userbyid(datdba) = session_user and has_database_privilege('public', oid, 'temporary')
  loop
    begin
      execute format('revoke temporary on database %I from public', database_name);
    exception when internal_error then null; -- the migration of another database does it at this moment
    end;
  end loop;
  for f in select oid from pg_proc
    where prosecdef and pronamespace = 'public'::regnamespace and pg_has_role(proowner, 'usage')
      and has_function_privilege('public', oid, 'execute')
  loop
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to signalbox_app', f);
  end loop;
end $$`;
