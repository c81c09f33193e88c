import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { addErrors, type FoundErrors } from './error-groups.ts';
import type { ServerAccess } from './deployments-placement.ts';
import { AppError } from '@signalbox/contracts/errors';
import { createNameNotFound } from './not-found.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, hasRow, listRows, sql, type Sql } from '../sql.ts';

export interface WatchedService extends ServiceKey {
  readonly serving: string;
  readonly mutedUntil: Date | null;
  /** State after earlier probes; the prober checks its shape. */
  readonly health: unknown;
  readonly logCursor: unknown;
  /** True while a deployment switches traffic, when a probe proves nothing. */
  readonly isMoving: boolean;
  /** Language of whoever took an open incident, or was told of it; null without one. */
  readonly language: string | null;
}

/** Maximum number of services per round of probes. */
const TAKEN = 50;

/** Kind of the incident of a server on which most services are slow. */
export const MACHINE_SLOW = 'machine-slow';
/** What was measured longer ago than this says nothing about a machine: a round of probes that all time out takes so long. */
const FRESH_MINUTES = 3;

/** A service that serves from a server, with its newest probe. */
export interface ProbedService extends ServiceKey {
  /** True when it answered slowly or not in time. */
  readonly isStrained: boolean;
  readonly bad: number;
  readonly isFresh: boolean;
  readonly mutedUntil: Date | null;
}

/** Lists the services that serve from a server, with what the newest probe found, by name. */
export function listProbesOfServer(db: Queryable, server: string): Promise<readonly ProbedService[]> {
  return listRows<ProbedService>(db)`
    select v.project, v.environment, coalesce((v.health ->> 'isStrained')::boolean, false) as "isStrained",
           coalesce((v.health ->> 'bad')::int, 0) as bad, v.muted_until as "mutedUntil",
           coalesce(v.health_at > clock_timestamp() - ${FRESH_MINUTES} * interval '1 minute', false) as "isFresh"
      from services v join deployments d on d.deployment_id = v.serving where d.server = ${server} order by v.project, v.environment`;
}

/** Formats the subject of incidents of a service: `service:shop/staging`. */
export function formatIncidentSubject(service: ServiceKey): string {
  return `service:${formatServiceName(service)}`;
}

/** Claims services that were not probed for `gapMs`, longest wait first. Concurrent calls claim different services. */
export function takeServices(db: Queryable, gapMs: number): Promise<readonly WatchedService[]> {
  return listRows<WatchedService>(db)`with due as (
       select project, environment from services
        where serving is not null and (look_at is null or look_at < clock_timestamp() - ${gapMs} * interval '1 ms')
        order by look_at nulls first limit ${TAKEN} for update skip locked)
     update services v set look_at = clock_timestamp() from due, deployments d left join lateral (
       select coalesce(i.taken_by, i.told) as user_key from incidents i
        where i.subject = 'service:' || d.project || '/' || d.environment and i.closed_at is null and i.told is not null
        order by i.opened_at limit 1) told on true
      where v.project = due.project and v.environment = due.environment and d.deployment_id = v.serving
     returning v.project, v.environment, v.serving, v.muted_until as "mutedUntil", v.health, v.log_cursor as "logCursor",
               case when told.user_key is not null then coalesce(user_language(told.user_key), 'en') end as language,
               exists (select 1 from deployments o where o.project = v.project and o.environment = v.environment
                          and o.state in ('switching', 'verifying', 'draining', 'failing', 'unknown')) as "isMoving"`;
}

/**
 * Selects the verdict about the release that serves; null while only an earlier release, or an earlier deployment of it, was probed.
 * `service`, `serving`: the aliases of the service's row and of the deployment that serves.
 */
export function selectVerdict(service: Sql, serving: Sql): Sql {
  return sql`case when ${service}.health ->> 'release' = ${serving}.release
      and ${service}.health_at >= coalesce(${serving}.finished_at, ${serving}.state_at) then ${service}.health ->> 'verdict' end`;
}

/** Reads the health state of a service; null when it has none. */
export function readHealth(db: Queryable, service: ServiceKey): Promise<{ readonly health: unknown } | null> {
  return findRow<{ health: unknown }>(db)`select health from services
      where project = ${service.project} and environment = ${service.environment}`;
}

/**
 * Stores the result of a probe with the log errors and crashes that it found, in one transaction. False, with nothing stored, when
 * another probe was faster, so that each error and crash counts once.
 */
export async function saveProbe(
  pool: Pool,
  service: Pick<WatchedService, 'project' | 'environment' | 'serving' | 'health' | 'logCursor'>,
  probe: { readonly health: unknown; readonly logCursor: unknown; readonly errors: readonly FoundErrors[] },
): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    // A missing value is SQL null, because JSON null would not equal it.
    const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
    const row = await findRow<{ serving: string | null }>(db)`
      update services set health = ${JSON.stringify(probe.health)}::jsonb, health_at = clock_timestamp(),
             log_cursor = ${json(probe.logCursor)}::jsonb
       where project = ${service.project} and environment = ${service.environment}
         and nullif(log_cursor, 'null') is not distinct from ${json(service.logCursor)}::jsonb
         and health is not distinct from ${json(service.health)}::jsonb returning serving`;
    if (!row) return false;
    // A release that was stopped or replaced during the probe did not crash.
    const isServing = row.serving === service.serving;
    await addErrors(
      db,
      service,
      probe.errors.filter(({ source }) => source === 'log' || isServing),
    );
    return true;
  });
}

/** Reads the data for connecting to a server. Throws NOT_FOUND, SERVER_BOOKED. */
export async function findDriverServer(db: Queryable, name: string): Promise<ServerAccess> {
  const row = await findRow<Omit<ServerAccess, 'driver'> & { driver: ServerAccess['driver'] | null }>(db)`
    select name as server, host as "serverHost", driver, connection, host_key as "hostKey" from servers where name = ${name}`;
  if (!row) throw await createNameNotFound(db, 'server', name);
  const { driver, ...rest } = row;
  if (driver !== null) return { ...rest, driver };
  throw new AppError('SERVER_BOOKED', { server: name });
}

/** Lists all services by name, with the times until which they are muted. */
export function listServicesBriefly(db: Queryable) {
  return listRows<ServiceKey & { mutedUntil: Date | null }>(db)`
    select project, environment, muted_until as "mutedUntil" from services order by project, environment limit 500`;
}

/** Mutes a service until a time, or unmutes it (null), in the caller's transaction. False for an unknown service. */
export function muteService(db: Queryable, service: ServiceKey, until: Date | null, by: string): Promise<boolean> {
  return hasRow(db)`update services set muted_until = ${until},
      muted_by = ${until === null ? null : by}, updated_at = clock_timestamp() where project = ${service.project}
        and environment = ${service.environment}`;
}
