import type { Role } from '@signalbox/contracts/governance/roles';
import type { Queryable } from '../pool.ts';
import { listRows } from '../sql.ts';

export interface KnownPerson {
  readonly userKey: string;
  readonly name: string;
  readonly role: Role;
}

/** Finds people by an id or, ignoring case, by a name; each person once, without programs. An id counts before names. */
export function findPeople(db: Queryable, who: string): Promise<readonly KnownPerson[]> {
  return listRows<KnownPerson>(db)`
    with found as (
      select distinct on (person) user_key as "userKey", name, role, user_key = ${who} as "isId", created_at from users
       where (user_key = ${who} or lower(name) = lower(${who})) and not is_program
       order by person, user_key = ${who} desc, created_at, user_key)
    select "userKey", name, role from found where "isId" or not exists (select from found where "isId") order by created_at, "userKey" limit 20`;
}
