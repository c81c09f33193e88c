import type { Packages } from '@signalbox/contracts/repository/packages';
import type { Pool, Queryable } from '../pool.ts';
import { hasRow, listRows, sql, type Sql } from '../sql.ts';

/** A project on which another depends, or a project that depends on it. */
export interface Relationship {
  readonly project: string;
  /** Some of the packages that create the dependency, such as `npm @acme/cups`. */
  readonly packages: readonly string[];
  /** Number of all packages that create the dependency. */
  readonly total: number;
}

/** Maximum number of packages named per relationship. */
const NAMED = 3;

/** Creates access to the dependencies between projects, by package names in their manifests. */
export function createRelationshipStore(pool: Pool) {
  const list = (project: string, from: Sql, to: Sql, limit: number): Promise<readonly Relationship[]> =>
    listRows<Relationship>(pool)`
      select ${to} as project, (array_agg(package order by package))[:${NAMED}::int] as packages, count(*)::int as total
        from project_relationships where ${from} = ${project}
       group by ${to} order by total desc, ${to} limit ${limit}`;
  return {
    /** True when the manifests of the project were read. */
    isKnown: (project: string): Promise<boolean> =>
      hasRow(pool)`
        select from repository_runs r join repository_agent_runs a on a.run_id = r.run_id
         where r.project = ${project} and not r.is_dry and a.agent = 'dependency' and a.status = 'completed' limit 1`,

    /** Lists the projects on which a project depends, those with the most packages first. */
    dependsOn: (project: string, limit: number) => list(project, sql`project`, sql`depends_on`, limit),

    /** Lists the projects that depend on a project, those with the most packages first. */
    usedBy: (project: string, limit: number) => list(project, sql`depends_on`, sql`project`, limit),
  };
}

/** Updates the packages of a project after a scan, in the caller's transaction. Does not write unchanged rows. Idempotent. */
export async function reconcilePackages(db: Queryable, project: string, { offers, uses }: Packages): Promise<void> {
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`packages:${project}`}, 0))`);
  const said = sql`(
    select name, true as is_offered from unnest(${offers}::text[]) name
    union select name, false from unnest(${uses}::text[]) name)`;
  await db.query(sql`
    delete from project_packages p
     where project = ${project}
       and not exists (select from ${said} s where s.name = p.package and s.is_offered = p.is_offered)`);
  await db.query(sql`
    insert into project_packages (project, package, is_offered)
      select ${project}, name, is_offered from ${said} s on conflict do nothing`);
}
