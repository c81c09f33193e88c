import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { createNameNotFound } from './not-found.ts';
import { placeService } from './deployments-placement.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { muteService } from './service-health.ts';
import { findStoppable } from './service-stops.ts';
import { noteEffect } from '../effects.ts';
import { findRow, listRows, sql } from '../sql.ts';

export interface ServiceRow extends ServiceKey {
  readonly server: string;
  readonly port: number | null;
  readonly url: string | null;
  readonly serving: string | null;
  readonly release: string | null;
  readonly mutedUntil: Date | null;
  /**
   * Health of the serving release at the last probe or, before that, as its deployment found it; `unseen` after two minutes without a
   * probe. Null while no release serves.
   */
  readonly seen: 'well' | 'degraded' | 'down' | 'stopped' | 'unseen' | null;
}

export interface ServiceVariableRow {
  readonly name: string;
  readonly value: string | null;
  readonly secret: string | null;
  readonly givenBy: string;
}

/** Time after which a service counts as not probed: eight probes were missed. */
const SEEN_MS = 2 * MINUTE_MS;
const SELECT = sql`select v.project, v.environment, v.server, v.port, d.url, v.serving, d.release, v.muted_until as "mutedUntil", case
    when v.serving is null then null
    when exists (select from deployment_events e where e.deployment_id = v.serving and e.evidence ? 'crashLoop') then 'stopped'
    when greatest(v.health_at, d.state_at) < clock_timestamp() - ${SEEN_MS} * interval '1 ms' then 'unseen'
    when v.health ->> 'release' = d.release and v.health ->> 'verdict' in ('down', 'degraded')
     and not exists (select from deployment_events e where e.deployment_id = v.serving and e.evidence ? 'revived' and e.at >= v.health_at)
      then v.health ->> 'verdict'
    else 'well' end as seen
  from services v left join deployments d on d.deployment_id = v.serving`;
const VARIABLE = sql`name, value, secret, given_by as "givenBy"`;

/** Creates access to services and their variables. */
export function createServiceStore(pool: Pool) {
  return {
    /** Lists services by project and environment. */
    list(filter: Partial<ServiceKey>): Promise<readonly ServiceRow[]> {
      return listRows<ServiceRow>(pool)`
        ${SELECT} where (${filter.project ?? null}::text is null or v.project = ${filter.project ?? null})
          and (${filter.environment ?? null}::text is null or v.environment = ${filter.environment ?? null})
          order by v.project, v.environment`;
    },

    find: (service: ServiceKey): Promise<ServiceRow | null> => find(pool, service),

    /** Finds the deployment that a stop would end: see `findStoppable`. */
    stoppable: (service: ServiceKey, runId: string | null) => findStoppable(pool, service, runId),

    /** Lists the variables of a service by name. */
    variables(service: ServiceKey): Promise<readonly ServiceVariableRow[]> {
      return listRows<ServiceVariableRow>(pool)`select ${VARIABLE} from service_variables
          where project = ${service.project} and environment = ${service.environment} order by name`;
    },

    /** Lists names of variables, each with a version that changes when the variable or its secret is set again. */
    variableMarks(service: ServiceKey): Promise<readonly { readonly name: string; readonly mark: string }[]> {
      return listRows<{ name: string; mark: string }>(pool)`
        select v.name, 'v' || left(encode(sha256(convert_to(concat_ws(' ', v.action_id, v.given_by, extract(epoch from v.given_at),
                  extract(epoch from s.created_at)), 'UTF8')), 'hex'), 16) as mark
           from service_variables v left join secrets s on s.user_key = v.given_by and s.handle = v.secret
          where v.project = ${service.project} and v.environment = ${service.environment} order by v.name`;
    },

    /**
     * Sets a variable for the next deployment; creates and places the service if necessary. Idempotent by action id. Throws NOT_FOUND,
     * PROJECT_ARCHIVED.
     */
    setVariable: (service: ServiceKey, variable: ServiceVariableRow, actionId: string): Promise<ServiceVariableRow> =>
      withTransaction(pool, async (db) => {
        // This locks the service, so that concurrent calls of one action see each other's writes.
        await placeService(db, service, null);
        const written = await findRow<ServiceVariableRow>(db)`
          insert into service_variables as k (project, environment, name, value, secret, given_by, action_id)
           values (${service.project}, ${service.environment}, ${variable.name}, ${variable.value}, ${variable.secret},
             ${variable.givenBy}, ${actionId})
           on conflict (project, environment, name) do update
             set value = excluded.value, secret = excluded.secret, given_by = excluded.given_by,
                 given_at = case when k.action_id = excluded.action_id then k.given_at else clock_timestamp() end,
                 action_id = excluded.action_id
           returning ${VARIABLE}`;
        if (!written) throw new Error('an upsert returned no row');
        return written;
      }),

    /** Removes a variable, from the next deployment on; null when the variable was not set. Idempotent by action id. */
    removeVariable: (service: ServiceKey, name: string, actionId: string): Promise<ServiceVariableRow | null> =>
      withTransaction(pool, async (db) => {
        const removed = await findRow<ServiceVariableRow>(db)`delete from service_variables
            where project = ${service.project} and environment = ${service.environment} and name = ${name} returning ${VARIABLE}`;
        if (removed) await noteEffect(db, actionId);
        return removed;
      }),

    /** Mutes messages about a service's health until a time; null unmutes them. Throws NOT_FOUND. */
    mute: (service: ServiceKey, until: Date | null, by: string, actionId: string): Promise<ServiceRow> =>
      withTransaction(pool, async (db) => {
        const muted = (await muteService(db, service, until, by)) ? await find(db, service) : null;
        if (!muted) throw await createNameNotFound(db, 'service', `${service.project}/${service.environment}`);
        await noteEffect(db, actionId);
        return muted;
      }),
  };
}

function find(db: Queryable, service: ServiceKey): Promise<ServiceRow | null> {
  return findRow<ServiceRow>(db)`${SELECT} where v.project = ${service.project}
      and v.environment = ${service.environment}`;
}
