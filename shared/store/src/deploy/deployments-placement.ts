import type { ServerConnection, ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { DriverName } from '@signalbox/contracts/operations/drivers';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { createNameNotFound } from './not-found.ts';
import type { Queryable } from '../pool.ts';
import { findRow, sql, readRow } from '../sql.ts';

interface ServerChoice {
  readonly name: string;
  readonly environment: string;
  readonly driver: DriverName | null;
}

// Rows that are older than drivers have none; this machine can always run programs.
const PLACE = sql`s.name, s.environment, coalesce(s.driver, case when s.name = 'local' then 'process' end) as driver`;

/**
 * Finds or creates a service, and locks its row until the transaction ends. A service stays on its server. A new service goes to the
 * named server, else to the measured server of its environment with the most free memory (answering servers first), else to this machine.
 * While no release serves, naming another server moves the service. Throws NOT_FOUND (project, server), PROJECT_ARCHIVED,
 * SERVED_ELSEWHERE, SERVER_BOOKED, SERVER_OF_OTHER_ENVIRONMENT, NO_CAPACITY (no server of the environment was ever reached).
 */
export async function placeService(db: Queryable, service: ServiceKey, named: string | null) {
  await requireProject(db, service.project);
  const server = await choose(db, service, named);
  await db.query(sql`insert into services (project, environment, server)
      values (${service.project}, ${service.environment}, ${server.name}) on conflict (project, environment) do nothing`);
  const row = await readRow<{ server: string; serving: string | null }>(db)`select server, serving from services
      where project = ${service.project} and environment = ${service.environment} for update`;
  if (named === null || named === row.server) {
    const choice = row.server === server.name ? server : await findServer(db, row.server);
    return { ...row, driver: requireDriver(choice) };
  }
  if (row.serving !== null) throw createServedElsewhere(service, row.server, named);
  await db.query(sql`update services set server = ${named}, updated_at = clock_timestamp()
      where project = ${service.project} and environment = ${service.environment}`);
  return { ...row, server: named, driver: requireDriver(server) };
}

/** A server with everything that its driver needs to connect. */
export interface ServerAccess {
  readonly server: string;
  readonly serverHost: string;
  readonly driver: DriverName;
  readonly connection: ServerConnection;
  readonly hostKey: string | null;
}

/** Finds the server on which a deployment would be placed now, without writing. Throws like `placeService`. */
export async function findDeployServer(
  db: Queryable,
  service: ServiceKey,
  named: string | null,
): Promise<ServerAccess> {
  await requireProject(db, service.project);
  const row = await findRow<{ server: string; serving: string | null }>(db)`
    select server, serving from services where project = ${service.project} and environment = ${service.environment}`;
  const isFixed = row !== null && (named === null || row.serving !== null);
  const choice = isFixed ? await findServer(db, row.server) : await choose(db, service, named);
  if (isFixed && named !== null && named !== row.server) throw createServedElsewhere(service, row.server, named);
  const driver = requireDriver(choice);
  const target = await findRow<Omit<ServerAccess, 'driver'>>(db)`
    select name as server, host as "serverHost", connection, host_key as "hostKey" from servers where name = ${choice.name}`;
  if (!target) throw await createNameNotFound(db, 'server', choice.name);
  return { ...target, driver };
}

async function choose(db: Queryable, service: ServiceKey, named: string | null): Promise<ServerChoice> {
  if (named !== null) return requireFit(await findServer(db, named), service);
  const best = await findRow<ServerChoice & { readonly isMeasured: boolean }>(db)`
    select ${PLACE}, s.measured_at is not null as "isMeasured" from servers s
      where s.name = 'local' or s.environment = ${service.environment} and s.driver is not null
      order by s.name = 'local', s.measured_at is null, s.health = 'down', least(s.memory_free_mb, s.memory_mb - coalesce((
        select sum(a.memory_mb) from port_allocations a where a.server = s.name and a.released_at is null), 0)) desc, s.name
      limit 1`;
  if (best === null) return findServer(db, 'local');
  if (best.name === 'local' || best.isMeasured) return best;
  // The size of the server is unknown, and the environment is not this machine, so the person has to name a server.
  const reasons = `${best.name} ${say('servers.neverReached')}`;
  throw new AppError('NO_CAPACITY', { detail: say('servers.noneMeasured', { where: service.environment, reasons }) });
}

function createServedElsewhere(service: ServiceKey, server: string, named: string): AppError {
  return new AppError('SERVED_ELSEWHERE', { ...service, server, named });
}

async function findServer(db: Queryable, name: string): Promise<ServerChoice> {
  const choice = await findRow<ServerChoice>(db)`select ${PLACE} from servers s where s.name = ${name}`;
  if (!choice) throw await createNameNotFound(db, 'server', name);
  return choice;
}

function requireFit(choice: ServerChoice, service: ServiceKey): ServerChoice {
  requireDriver(choice);
  if (choice.name === 'local' || choice.environment === service.environment) return choice;
  const { name: server, environment } = choice;
  throw new AppError('SERVER_OF_OTHER_ENVIRONMENT', { server, environment, wanted: service.environment });
}

function requireDriver({ name, driver }: ServerChoice): DriverName {
  if (driver !== null) return driver;
  throw new AppError('SERVER_BOOKED', { server: name });
}

async function requireProject(db: Queryable, name: string): Promise<void> {
  const project = await findRow<{ status: string }>(db)`select status from projects where name = ${name} for share`;
  if (!project) throw await createNameNotFound(db, 'project', name);
  if (project.status === 'archived')
    throw new AppError('PROJECT_ARCHIVED', { project: name, consequence: 'nothing of it is deployed' });
}
