import { serviceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { addErrors, type FoundErrors } from './error-groups.ts';
import type { PlacedTarget } from './deployments-placement.ts';
import { AppError } from '@signalbox/contracts/errors';
import { nameNotFound } from './not-found.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, hasRow, listRows } from '../sql.ts';

/** A service whose turn it is to be looked at. */
export interface WatchedService extends ServiceKey {
  readonly serving: string;
  readonly mutedUntil: Date | null;
  /** What the looks before have left; whoever looks checks the shapes. */
  readonly health: unknown;
  readonly logCursor: unknown;
  /** A deployment is just changing what serves, so what is found says nothing yet. */
  readonly isMoving: boolean;
  /** Who deployed what serves, then whose project it is. */
  readonly owners: readonly string[];
  /** What the first of them reads. */
  readonly language: string | null;
}

/** Services that one look takes on; the next one takes the others. */
const TAKEN = 50;

/** `service:shop/staging`: the subject of its incidents. */
export function incidentSubject(service: ServiceKey): string {
  return `service:${serviceName(service)}`;
}

/** Takes services that were not looked at for `gapMs`, those that wait longest first. Of two at once, each is taken by one. */
export function takeServices(db: Queryable, gapMs: number): Promise<readonly WatchedService[]> {
  return listRows<WatchedService>(db)`with due as (
       select project, environment from services
        where serving is not null and (look_at is null or look_at < clock_timestamp() - ${gapMs} * interval '1 ms')
        order by look_at nulls first limit ${TAKEN} for update skip locked)
     update services v set look_at = clock_timestamp() from due, deployments d, projects p
      where v.project = due.project and v.environment = due.environment and d.deployment_id = v.serving and p.name = v.project
     returning v.project, v.environment, v.serving, v.muted_until as "mutedUntil", v.health, v.log_cursor as "logCursor",
               array[d.user_key, p.owner] as owners, coalesce(user_language(d.user_key), user_language(p.owner)) as language,
               exists (select 1 from deployments o where o.project = v.project and o.environment = v.environment
                          and o.state in ('switching', 'verifying', 'draining', 'failing', 'unknown')) as "isMoving"`;
}

/** What the looks before have left of a service; null when there is none. */
export function readHealth(db: Queryable, service: ServiceKey): Promise<{ readonly health: unknown } | null> {
  return findRow<{ health: unknown }>(db)`select health from services
      where project = ${service.project} and environment = ${service.environment}`;
}

/**
 * Stores what a look has found, with the errors of the log lines that it has read and the crashes that it has seen, in one transaction.
 * False when somebody else has looked meanwhile, and then nothing was counted: no line and no crash is counted twice.
 */
export async function saveLook(
  pool: Pool,
  service: Pick<WatchedService, 'project' | 'environment' | 'serving' | 'health' | 'logCursor'>,
  look: { readonly health: unknown; readonly logCursor: unknown; readonly errors: readonly FoundErrors[] },
): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    // Of what has written nothing: no value, and not the null of JSON, which equals no missing value.
    const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
    const row = await findRow<{ serving: string | null }>(db)`
      update services set health = ${JSON.stringify(look.health)}::jsonb, health_at = clock_timestamp(),
             log_cursor = ${json(look.logCursor)}::jsonb
       where project = ${service.project} and environment = ${service.environment}
         and nullif(log_cursor, 'null') is not distinct from ${json(service.logCursor)}::jsonb
         and health is not distinct from ${json(service.health)}::jsonb returning serving`;
    if (!row) return false;
    // What was stopped or replaced during the look has not crashed.
    const isServing = row.serving === service.serving;
    await addErrors(
      db,
      service,
      look.errors.filter(({ source }) => source === 'log' || isServing),
    );
    return true;
  });
}

/** How a server is reached. Throws NOT_FOUND, SERVER_BOOKED. */
export async function findDriverServer(db: Queryable, name: string): Promise<PlacedTarget> {
  const row = await findRow<Omit<PlacedTarget, 'driver'> & { driver: PlacedTarget['driver'] | null }>(db)`
    select name as server, host as "serverHost", driver, connection, host_key as "hostKey" from servers where name = ${name}`;
  if (!row) throw await nameNotFound(db, 'server', name);
  const { driver, ...rest } = row;
  if (driver !== null) return { ...rest, driver };
  throw new AppError('SERVER_BOOKED', { server: name });
}

/** Every service with how long it is muted, by name. */
export function listServicesBriefly(
  db: Queryable,
): Promise<readonly (ServiceKey & { readonly mutedUntil: Date | null })[]> {
  return listRows<ServiceKey & { mutedUntil: Date | null }>(
    db,
  )`select project, environment, muted_until as "mutedUntil" from services order by project, environment limit 500`;
}

/** Mutes a service until then, or no longer (null), in a transaction of the caller's. False when there is no such service. */
export async function muteServiceWithin(
  db: Queryable,
  service: ServiceKey,
  until: Date | null,
  by: string,
): Promise<boolean> {
  return hasRow(db)`update services set muted_until = ${until},
      muted_by = ${until === null ? null : by}, updated_at = clock_timestamp() where project = ${service.project}
        and environment = ${service.environment}`;
}
