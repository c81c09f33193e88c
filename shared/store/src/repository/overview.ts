import { SEVERITIES, type Severity } from '@signalbox/contracts/repository/finding';
import type { Pool } from '../pool.ts';
import { listRows } from '../sql.ts';

export interface RepositoryState {
  readonly project: string;
  readonly tags: readonly string[];
  /** End of the last completed chain; null when none has completed. */
  readonly scannedAt: Date | null;
  readonly open: Readonly<Record<Severity, number>>;
}

/** Creates an overview of projects by their open findings, without archived projects. */
export function createOverviewReader(pool: Pool) {
  return {
    /** Lists projects, most severe findings first, with the total number of projects; with tags, only projects that have all of them. */
    async list({ tags }: { readonly tags: readonly string[] }, limit: number) {
      // Counts are stored and expired acceptances have an index, so no other finding is read.
      const rows = await listRows<Omit<RepositoryState, 'open'> & { open: readonly number[]; total: number }>(pool)`
        select s.*,
               array(select tag from project_tags t where t.project = s.project order by tag) as tags,
               (select max(finished_at) from repository_runs r
                 where r.project = s.project and r.status = 'completed' and not r.is_dry) as "scannedAt"
          from (
            select p.name as project, c.open, (count(*) over ())::int as total
              from projects p, lateral (
                select array_agg(coalesce(n, 0)::int order by rank desc) as open
                  from generate_series(0, ${SEVERITIES.length - 1}::int) rank
                  left join (
                    select severity, sum(open) as n from (
                      select severity, open from repository_finding_counts where project = p.name
                      union all
                      select severity, 1 from repository_findings
                       where project = p.name and status = 'accepted' and accepted_until < now()) counted
                     group by severity) by_severity on severity = rank) c
             where p.status <> 'archived'
               and not exists (
                 select from unnest(${tags}::text[]) wanted
                  where not exists (select from project_tags t where t.project = p.name and t.tag = wanted))
             order by c.open desc, p.name limit ${limit}) s
         order by s.open desc, s.project`;
      const repositories = rows.map(({ project, tags: own, scannedAt, open }): RepositoryState => {
        return { project, tags: own, scannedAt, open: bySeverity(open) };
      });
      return { total: rows[0]?.total ?? 0, repositories };
    },
  };
}

/** Converts `counts`, which begin with the highest severity, to numbers by severity. */
function bySeverity(counts: readonly number[]): RepositoryState['open'] {
  const [critical = 0, high = 0, medium = 0, low = 0, info = 0] = counts;
  return { critical, high, medium, low, info };
}
