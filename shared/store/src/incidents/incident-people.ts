import { listOnCall } from '../oncall/duty.ts';
import { chooseRota, listRotas } from '../oncall/rotas.ts';
import type { Queryable } from '../pool.ts';
import { findValue, listValues } from '../sql.ts';

/** What an incident is about, as far as it is known. */
export interface IncidentPlace {
  readonly project: string | null;
  readonly environment: string | null;
}

/**
 * Lists whom an incident tells, in order: who is on call in the rota of its project and the next in that rota, then `owners`, who deployed,
 * the owner of the project, and the admins. The first who can be reached is told.
 */
export async function listIncidentPeople(
  db: Queryable,
  { project, environment }: IncidentPlace,
  owners: readonly string[] = [],
): Promise<readonly string[]> {
  const onCall = await listOnCallPeople(db, project);
  const people = await listValues<string>(db)`select incident_people(${project}, ${environment})`;
  return [...new Set([...onCall, ...owners, ...people])];
}

/** Finds the language of the first person whom an incident tells; null when it is not known. */
export async function findFirstLanguage(db: Queryable, place: IncidentPlace): Promise<string | null> {
  const [first = null] = await listIncidentPeople(db, place);
  return findValue<string>(db)`select user_language(${first})`;
}

/** Lists the rota of a project from whoever is on call now; empty without a rota. */
export async function listOnCallPeople(db: Queryable, project: string | null): Promise<readonly string[]> {
  const rota = chooseRota(await listRotas(db), project);
  if (!rota) return [];
  const now = (await findValue<Date>(db)`select clock_timestamp()`) ?? new Date();
  return listOnCall(
    rota,
    now,
    new Set(await listAble(db, [...rota.people, ...rota.covers.map(({ userKey }) => userKey)])),
  );
}

/** Lists those of these accounts that can take an incident and be reached now, in any order. */
export function listReachable(db: Queryable, people: readonly string[]): Promise<readonly string[]> {
  return listValues<string>(db)`
    select user_key from users where user_key = any (${[...people]}) and role <> 'viewer' and not is_program
       and exists (select from find_recipients(array[user_key]))`;
}

/** Lists those of these accounts whose role lets them take an incident. */
function listAble(db: Queryable, people: readonly string[]): Promise<readonly string[]> {
  return listValues<string>(db)`
    select user_key from users where user_key = any (${[...people]}) and role <> 'viewer' and not is_program`;
}
