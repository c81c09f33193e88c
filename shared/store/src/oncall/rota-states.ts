import { toPlainName } from '@signalbox/contracts/plain-name';
import type { RotaSummary } from '@signalbox/messages/schedule/say-rota';
import { listReachable } from '../incidents/incident-people.ts';
import type { Queryable } from '../pool.ts';
import { findValue, listRows } from '../sql.ts';
import { findDuty, listHandOvers, type Duty } from './duty.ts';
import { chooseRota, listRotas, type Rota } from './rotas.ts';

/** A rota with who is on call now and who is next. */
export interface RotaState {
  readonly rota: Rota;
  readonly now: Date;
  readonly duty: Duty | null;
  readonly next: Duty | null;
  /** The accounts that can take an incident and be reached; others are passed over. */
  readonly able: ReadonlySet<string>;
  /** Names by account, without formatting. */
  readonly names: ReadonlyMap<string, string>;
}

/** Reads who is on call in every rota, by its name, or in the rota of a project. */
export async function listRotaStates(db: Queryable, project?: string): Promise<readonly RotaState[]> {
  const all = await listRotas(db);
  const chosen = project === undefined ? all : [chooseRota(all, project)];
  const states: RotaState[] = [];
  for (const rota of chosen) if (rota) states.push(await readRotaState(db, rota));
  return states;
}

/** Reads who is on call in a rota. `at`: the moment, for tests; otherwise now by the database's clock. */
export async function readRotaState(db: Queryable, rota: Rota, at: Date | null = null): Promise<RotaState> {
  const now = at ?? (await findValue<Date>(db)`select date_trunc('milliseconds', clock_timestamp())`) ?? new Date();
  const people = [...new Set([...rota.people, ...rota.covers.map(({ userKey }) => userKey)])];
  const able = new Set(await listReachable(db, people));
  const rows = await listRows<{ userKey: string; name: string }>(db)`
    select user_key as "userKey", name from users where user_key = any (${people})`;
  const names = new Map(rows.map(({ userKey, name }) => [userKey, toPlainName(name)]));
  const [next = null] = listHandOvers(rota, now, able, 1);
  return { rota, now, duty: findDuty(rota, now, able), next, able, names };
}

/** Returns the name of a person of a rota; the account of somebody who is gone. */
export function nameOf({ names }: Pick<RotaState, 'names'>, userKey: string): string {
  return names.get(userKey) ?? toPlainName(userKey);
}

/** Names who is on call in a rota, until when, who is next, and who covers. Pure. */
export function summarizeRota(state: RotaState): RotaSummary {
  const { rota, now, duty, next } = state;
  const { name, projects, people, zone, weekday, clock, escalateMinutes } = rota;
  return {
    rota: name,
    projects,
    people: people.map((one) => nameOf(state, one)),
    onCall: duty === null ? null : nameOf(state, duty.userKey),
    until: duty?.until?.toISOString() ?? null,
    next: next === null ? null : nameOf(state, next.userKey),
    zone,
    weekday,
    clock,
    escalateMinutes,
    covers: rota.covers
      .filter(({ until }) => until > now)
      .map(({ userKey, from, until }) => ({
        name: nameOf(state, userKey),
        from: from.toISOString(),
        until: until.toISOString(),
      })),
  };
}
