import type { DeployState, ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { Pool } from '../pool.ts';
import { findRow, listRows, sql } from '../sql.ts';
import { selectVerdict } from './service-health.ts';

/** A release of a project with what is known of its time in an environment. */
export interface ReleaseRow extends ServiceKey {
  readonly deploymentId: string;
  readonly ref: string;
  readonly commit: string | null;
  readonly release: string | null;
  readonly state: DeployState;
  /** Time from which it served; null when it never did. */
  readonly servedFrom: Date | null;
  /** Time at which another release took over; null while it serves, and after a stop. */
  readonly servedUntil: Date | null;
  readonly isServing: boolean;
  /** Verdict of the last probe while it serves. */
  readonly verdict: string | null;
  /** Errors in its log, and incidents that began while it served. */
  readonly errors: number;
  readonly incidents: number;
}

/** Names of variables that two releases do not have in common. Values are never read out. */
export interface VariableDifferences {
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  readonly different: readonly string[];
}

const SELECT = sql`
  select d.deployment_id as "deploymentId", d.project, d.environment, d.ref, d.commit, d.release, d.state, w.served_from as "servedFrom",
         w.served_until as "servedUntil", coalesce(v.serving = d.deployment_id, false) as "isServing",
         case when v.serving = d.deployment_id then ${selectVerdict(sql`v`, sql`d`)} end as verdict,
         (select coalesce(sum(g.count), 0)::int from error_groups g where g.project = d.project and g.environment = d.environment
             and g.release = d.release and g.source in ('log', 'health')) as errors,
         (select count(*)::int from incidents i where i.subject = 'service:' || d.project || '/' || d.environment
             and i.opened_at >= w.served_from and i.opened_at < coalesce(w.served_until, 'infinity')) as incidents
    from deployments d join services v using (project, environment), lateral (
      select case when d.state = 'succeeded' then d.finished_at end as served_from,
             (select min(n.finished_at) from deployments n where n.project = d.project and n.environment = d.environment
                and n.state = 'succeeded' and n.finished_at > d.finished_at) as served_until) w`;

/** Creates the reader of a project's releases. */
export function createReleaseReader(pool: Pool) {
  return {
    /** Finds the release that serves in an environment, else the newest that served there; null when none did. */
    ofEnvironment: ({ project, environment }: ServiceKey): Promise<ReleaseRow | null> =>
      findRow<ReleaseRow>(pool)`${SELECT} where d.project = ${project} and d.environment = ${environment}
          and (d.deployment_id = v.serving or d.state = 'succeeded')
        order by d.deployment_id = v.serving desc nulls last, d.finished_at desc limit 1`,

    /** Finds the newest release by deployment id, release name, version or commit, one that served first; null when there is none. */
    named: (project: string, name: string): Promise<ReleaseRow | null> =>
      findRow<ReleaseRow>(pool)`${SELECT} where d.project = ${project}
          and (${name} in (d.deployment_id, d.release, d.ref, d.commit) or d.ref = 'v' || ${name} or 'v' || d.ref = ${name}
            or length(${name}) >= 7 and starts_with(d.commit, ${name}))
        order by d.state = 'succeeded' desc, d.requested_at desc limit 1`,

    /** Compares the variables with which two releases were deployed; those of two environments as they are set now. */
    async compareVariables(before: ReleaseRow, after: ReleaseRow): Promise<VariableDifferences> {
      const isOneService = before.environment === after.environment;
      const of = ({ deploymentId, project, environment }: ReleaseRow) =>
        isOneService
          ? sql`select x ->> 'name' as name, x ->> 'mark' as mark from deployments, jsonb_array_elements(plan -> 'variables') x
              where deployment_id = ${deploymentId}`
          : sql`select name, coalesce('value ' || value, 'secret ' || secret || ' ' || given_by) as mark from service_variables
              where project = ${project} and environment = ${environment}`;
      const rows = await listRows<{ name: string; place: keyof VariableDifferences }>(pool)`
        select coalesce(b.name, a.name) as name,
               case when a.name is null then 'onlyBefore' when b.name is null then 'onlyAfter' else 'different' end as place
          from (${of(before)}) b full join (${of(after)}) a on a.name = b.name
         where a.mark is distinct from b.mark order by 1`;
      const namesOf = (wanted: keyof VariableDifferences) =>
        rows.filter(({ place }) => place === wanted).map(({ name }) => name);
      return { onlyBefore: namesOf('onlyBefore'), onlyAfter: namesOf('onlyAfter'), different: namesOf('different') };
    },
  };
}
