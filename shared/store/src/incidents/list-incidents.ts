import { FAULT_SUBJECT } from '../migrations/fault-rows.ts';
import type { Pool } from '../pool.ts';
import { listRows, sql } from '../sql.ts';
import { selectDetail } from './incident-words.ts';

/** An incident as people ask about it, with who was told and who looks after it. */
export interface ToldIncident {
  readonly incidentId: string;
  readonly source: 'service' | 'server' | 'alarm' | 'gate';
  /** Name of the server, of the source of alarms or of the repository of a gate; null for a service. */
  readonly name: string | null;
  readonly project: string | null;
  readonly environment: string | null;
  readonly kind: string;
  readonly detail: string;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  /** Number of times that it came, or was reported, beyond the first. */
  readonly repeats: number;
  readonly toldTo: string | null;
  readonly takenBy: string | null;
}

export interface IncidentFilter {
  readonly state?: 'open' | 'closed';
  /** Incidents that were open at some time since then. */
  readonly since?: Date;
  readonly project?: string;
}

/** Lists incidents, open ones first, then the newest, with the number of all. Faults of Signalbox itself are left out. */
export async function listIncidents(
  pool: Pool,
  { state, since, project }: IncidentFilter,
  limit: number,
): Promise<{ readonly incidents: readonly ToldIncident[]; readonly total: number }> {
  const rows = await listRows<ToldIncident & { readonly total: number }>(pool)`
    with named as (
      select i.*, split_part(i.subject, ':', 1) as source, split_part(split_part(i.subject, ':', 2), '/', 1) as first_name,
             split_part(i.subject, '/', 2) as second_name from incidents i where i.subject <> ${FAULT_SUBJECT}),
    placed as (
      select n.*, case when source = 'service' then first_name else evidence ->> 'project' end as of_project,
             case when source = 'service' then second_name else evidence ->> 'environment' end as of_environment from named n)
    select p.incident_id::text as "incidentId", p.source, case p.source when 'service' then null when 'gate' then p.evidence ->> 'repository' else p.first_name end as name,
           p.of_project as project, p.of_environment as environment, p.kind, ${selectDetail(sql`p`)} as detail, p.opened_at as "openedAt",
           p.closed_at as "closedAt", p.repeats + p.flaps as repeats, coalesce(t.name, p.told) as "toldTo",
           coalesce(k.name, p.taken_by) as "takenBy", count(*) over ()::int as total
      from placed p left join users t on t.user_key = p.told left join users k on k.user_key = p.taken_by
     where p.source in ('service', 'server', 'alarm', 'gate')
       and (${project ?? null}::text is null or p.of_project = ${project ?? null})
       and (${state ?? null}::text is null or (p.closed_at is null) = (${state ?? null}::text = 'open'))
       and (${since ?? null}::timestamptz is null or p.closed_at is null or p.closed_at >= ${since ?? null}::timestamptz)
     order by p.closed_at is not null, p.opened_at desc, p.incident_id desc limit ${limit}`;
  return { incidents: rows.map(({ total: _total, ...incident }) => incident), total: rows[0]?.total ?? 0 };
}
