import type { Queryable } from '../pool.ts';
import { listRows, sql } from '../sql.ts';

/** A source of alarms, or a program that writes. */
export interface SourceRow {
  readonly name: string;
  /** The kind of sender; null for a program. */
  readonly kind: string | null;
  /** Null while nothing came from it. */
  readonly heardAt: Date | null;
  /** Its alarms that are open now. */
  readonly open: number;
}

/** Makes known which sources of alarms exist. Idempotent. */
export async function registerAlarmSources(
  db: Queryable,
  sources: readonly { readonly name: string; readonly kind: string }[],
): Promise<void> {
  await db.query(sql`insert into alarm_sources (source, kind)
      select s ->> 'name', s ->> 'kind' from jsonb_array_elements(${JSON.stringify(sources)}::jsonb) s
      on conflict (source) do update set kind = excluded.kind`);
  await db.query(sql`delete from alarm_sources where source <> all (${sources.map(({ name }) => name)})`);
}

/** Lists the sources of both kinds by name, with when each was heard last. */
export function listSources(db: Queryable): Promise<readonly SourceRow[]> {
  return listRows<SourceRow>(db)`
    select source as name, kind, heard_at as "heardAt",
           (select count(*)::int from incidents i where i.closed_at is null and i.kind = 'alarm'
               and starts_with(i.subject, 'alarm:' || source || '/')) as open
      from alarm_sources
    union all
    select substr(u.user_key, 9), null, (select max(e.received_at) from ingress_events e where e.source = substr(u.user_key, 9)), 0
      from users u where u.channel = 'ingress' and not exists (select from alarm_sources s where 'ingress-' || s.source = u.user_key)
    order by 1 limit 500`;
}
