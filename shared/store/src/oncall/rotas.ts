import type { TurnPlan } from '@signalbox/messages/schedule/turns';
import type { Queryable } from '../pool.ts';
import { findRow, hasRow, listRows, sql } from '../sql.ts';

/** People who take turns to answer for projects. */
export interface Rota extends TurnPlan {
  readonly name: string;
  /** Empty: all projects that no other rota names. */
  readonly projects: readonly string[];
  /** Minutes without an answer after which the next person is told. */
  readonly escalateMinutes: number;
  /** When it was set, or somebody was put in for another. */
  readonly changedAt: Date;
  /** Who is on call instead of whose turn it is, in order; those that are over are left out after a while. */
  readonly covers: readonly Cover[];
}

export interface Cover {
  readonly userKey: string;
  readonly from: Date;
  readonly until: Date;
}

/** Covers are kept this long after their end: hand-overs look back. */
const KEPT_DAYS = 14;

const ROTA = sql`r.rota as name, r.people, r.projects, r.weekday, r.clock, r.zone, r.first_day::text as "firstDay",
  r.escalate_minutes as "escalateMinutes", r.changed_at as "changedAt",
  coalesce((select jsonb_agg(jsonb_build_object('userKey', c.user_key, 'from', c.from_at, 'until', c.until_at) order by c.from_at, c.cover_id)
     from rota_covers c where c.rota = r.rota and c.until_at > clock_timestamp() - ${KEPT_DAYS} * interval '1 day'), '[]') as covers`;

type RotaRow = Omit<Rota, 'covers'> & {
  readonly covers: readonly { readonly userKey: string; readonly from: string; readonly until: string }[];
};

/** Lists all rotas by name. */
export async function listRotas(db: Queryable): Promise<readonly Rota[]> {
  return (await listRows<RotaRow>(db)`select ${ROTA} from rotas r order by r.rota`).map(toRota);
}

/** Finds a rota and locks it; null for an unknown one. */
export async function findRota(db: Queryable, name: string): Promise<Rota | null> {
  const row = await findRow<RotaRow>(db)`select ${ROTA} from rotas r where r.rota = ${name} for update`;
  return row && toRota(row);
}

/** Sets a rota, also in place of the one of that name, whose covers stay. */
export async function putRota(db: Queryable, rota: Omit<Rota, 'changedAt' | 'covers'>): Promise<void> {
  const { name, people, projects, weekday, clock, zone, firstDay, escalateMinutes } = rota;
  await db.query(sql`
    insert into rotas (rota, people, projects, weekday, clock, zone, first_day, escalate_minutes)
    values (${name}, ${[...people]}, ${[...projects]}, ${weekday}, ${clock}, ${zone}, ${firstDay}::date, ${escalateMinutes})
    on conflict (rota) do update set people = excluded.people, projects = excluded.projects, weekday = excluded.weekday,
      clock = excluded.clock, zone = excluded.zone, first_day = excluded.first_day, escalate_minutes = excluded.escalate_minutes,
      changed_at = clock_timestamp()`);
}

/** Removes a rota with its covers. False for an unknown one. */
export function removeRota(db: Queryable, name: string): Promise<boolean> {
  return hasRow(db)`delete from rotas where rota = ${name} returning true`;
}

/** Puts somebody on call for a time. */
export async function addCover(db: Queryable, rota: string, { userKey, from, until }: Cover): Promise<void> {
  await db.query(
    sql`insert into rota_covers (rota, user_key, from_at, until_at) values (${rota}, ${userKey}, ${from}, ${until})`,
  );
  await markChanged(db, rota);
}

/** Takes back the covers of a person that are not over. False when there is none. */
export async function removeCovers(db: Queryable, rota: string, userKey: string): Promise<boolean> {
  const isChanged = await hasRow(db)`
    delete from rota_covers where rota = ${rota} and user_key = ${userKey} and until_at > clock_timestamp() returning true`;
  if (isChanged) await markChanged(db, rota);
  return isChanged;
}

/** Chooses the rota of a project: the one that names it, else the one for all. A null project is none that a rota names. Pure. */
export function chooseRota(rotas: readonly Rota[], project: string | null): Rota | null {
  const named = project === null ? undefined : rotas.find(({ projects }) => projects.includes(project));
  return named ?? rotas.find(({ projects }) => projects.length === 0) ?? null;
}

async function markChanged(db: Queryable, rota: string): Promise<void> {
  await db.query(sql`update rotas set changed_at = clock_timestamp() where rota = ${rota}`);
}

function toRota({ covers, ...row }: RotaRow): Rota {
  return {
    ...row,
    covers: covers.map(({ userKey, from, until }) => ({ userKey, from: new Date(from), until: new Date(until) })),
  };
}
