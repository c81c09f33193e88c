import type { DriverName } from '@signalbox/contracts/operations/drivers';
import { AppError } from '@signalbox/contracts/errors';
import { toMadeValue } from '@signalbox/contracts/governance/field-key';
import { createNameNotFound } from '@signalbox/store/deploy/not-found';
import { isTransient, withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { say } from '@signalbox/messages/say';
import { findRow, findValue, listRows, listValues, readRow, sql } from '@signalbox/store/sql';

export interface PortAllocationRow {
  readonly server: string;
  readonly port: number;
  readonly project: string;
  readonly service: string;
  readonly memoryMb: number;
  readonly allocatedBy: string;
  readonly allocatedAt: Date;
}

type Filter = Readonly<Partial<Record<'server' | 'project', string | null | undefined>>>;
type Request = Omit<PortAllocationRow, 'port' | 'allocatedAt'> & { readonly port: number | null };

/** Tests whether a port is in use. The server's row is locked meanwhile, so the test must end within a second. */
export type PortProbe = (
  server: { readonly host: string; readonly driver: DriverName | null },
  port: number,
) => Promise<boolean>;

export interface TakenPortRow extends PortAllocationRow {
  /** Lower free ports that were skipped because another process listens there. */
  readonly passedOver: readonly number[];
}

interface Place {
  readonly name: string;
  readonly host: string;
  readonly driver: DriverName | null;
  readonly memoryMb: number;
  readonly firstPort: number;
  readonly lastPort: number;
}

const COLUMNS = sql`a.server, a.port, a.project, a.service, a.memory_mb as "memoryMb", a.allocated_by as "allocatedBy", a.allocated_at as "allocatedAt"`;

const PLACE = sql`name, host, driver, memory_mb as "memoryMb", first_port as "firstPort", last_port as "lastPort"`;

/** After this many ports in use in a row, the search gives up: the range belongs to other software. */
const PROBED = 50;

/** Attempts after a lock time-out or a lost connection; the action id makes repeating safe. */
const ATTEMPTS = 3;

export function createPortAllocations(pool: Pool, isListenedOn: PortProbe = async () => false) {
  return {
    list({ server = null, project = null }: Filter): Promise<readonly PortAllocationRow[]> {
      return listRows<PortAllocationRow>(pool, 'ports_list')`select ${COLUMNS} from port_allocations a
          where a.released_at is null and (${server}::text is null or a.server = ${server})
            and (${project}::text is null or a.project = ${project})
          order by a.server, a.port`;
    },

    /** Finds the allocation or release of an action; null when there is none. */
    of(actionId: string): Promise<PortAllocationRow | null> {
      return findRow<PortAllocationRow>(pool)`select ${COLUMNS} from port_allocations a
          where a.action_id = ${actionId} or a.release_action_id = ${actionId}`;
    },

    /** Finds the lowest free port without allocating it; null when the server is full. Throws NOT_FOUND. */
    async next(server: string): Promise<number | null> {
      const place = await findRow<Place>(pool)`select ${PLACE} from servers where name = ${server}`;
      if (!place) throw await createNameNotFound(pool, 'server', server);
      return (await lowestFreePort(pool, place, isListenedOn)).port;
    },

    /** Throws NOT_FOUND, PROJECT_ARCHIVED, PORT_OUTSIDE_RANGE, PORT_TAKEN, PORT_IN_USE, NO_CAPACITY. */
    allocate: (request: Request, actionId: string): Promise<TakenPortRow> =>
      retried(pool, (db) => allocate(db, request, actionId, isListenedOn)),

    /** Throws NOT_FOUND when nobody holds that port. */
    release: (server: string, port: number, actionId: string): Promise<PortAllocationRow> =>
      retried(pool, (db) => release(db, server, port, actionId)),
  };
}

async function allocate(
  db: Queryable,
  request: Request,
  actionId: string,
  isListenedOn: PortProbe,
): Promise<TakenPortRow> {
  const place = await lockServer(db, request.server);
  const earlier = await findRow<PortAllocationRow>(db)`
    select ${COLUMNS} from port_allocations a where a.action_id = ${actionId}`;
  if (earlier) return { ...earlier, passedOver: [] };
  await requireProject(db, request.project);
  await requireMemory(db, place, request.memoryMb);
  if (request.port !== null) await requireFree(db, place, request.port, isListenedOn);
  const { port, passedOver } =
    request.port === null
      ? await lowestFreePort(db, place, isListenedOn)
      : { port: request.port, passedOver: [] as readonly number[] };
  if (port === null)
    throw new AppError('NO_CAPACITY', {
      detail:
        passedOver.length === 0
          ? say('servers.allTaken', { server: place.name, firstPort: place.firstPort, lastPort: place.lastPort })
          : say('servers.strangersListen', { server: place.name, ports: passedOver.join(', ') }),
    });
  const taken = await readRow<PortAllocationRow>(db)`
    insert into port_allocations as a (server, port, project, service, memory_mb, allocated_by, action_id)
     values (${place.name}, ${port}, ${request.project}, ${request.service}, ${request.memoryMb}, ${request.allocatedBy}, ${actionId})
       returning ${COLUMNS}`;
  return { ...taken, passedOver };
}

async function release(db: Queryable, server: string, port: number, actionId: string): Promise<PortAllocationRow> {
  await lockServer(db, server);
  const earlier = await findRow<PortAllocationRow>(db)`
    select ${COLUMNS} from port_allocations a where a.release_action_id = ${actionId}`;
  if (earlier) return earlier;
  const released = await findRow<PortAllocationRow>(db)`
    update port_allocations a set released_at = clock_timestamp(), release_action_id = ${actionId}
      where a.server = ${server} and a.port = ${port} and a.released_at is null returning ${COLUMNS}`;
  if (released) return released;
  const held = await listValues<number>(db)`
    select port from port_allocations where server = ${server} and released_at is null order by port limit 10`;
  const values = { kind: `allocation on ${server}`, name: String(port), known: held.join(', ') || 'none' };
  const offers = held.map((one) => toMadeValue('port', String(one)));
  throw new AppError('NOT_FOUND', values, undefined, offers);
}

/** Locks the server's row for the transaction, so that nobody else allocates its ports. Throws NOT_FOUND. */
async function lockServer(db: Queryable, name: string): Promise<Place> {
  const place = await findRow<Place>(db)`select ${PLACE} from servers where name = ${name} for no key update`;
  if (!place) throw await createNameNotFound(db, 'server', name);
  return place;
}

async function requireProject(db: Queryable, name: string): Promise<void> {
  const status = await findValue<string>(db)`select status from projects where name = ${name}`;
  if (status === null) throw await createNameNotFound(db, 'project', name);
  if (status === 'archived')
    throw new AppError('PROJECT_ARCHIVED', { project: name, consequence: say('servers.noNewPorts') });
}

async function requireMemory(db: Queryable, place: Place, neededMb: number): Promise<void> {
  const reservedMb = await findValue<number>(db, 0)`
    select sum(memory_mb)::int from port_allocations where server = ${place.name} and released_at is null`;
  const freeMb = place.memoryMb - reservedMb;
  if (neededMb <= freeMb) return;
  const free = { server: place.name, free: Math.max(0, freeMb), memory: place.memoryMb, needed: neededMb };
  throw new AppError('NO_CAPACITY', { detail: say('servers.noMemory', free) });
}

async function requireFree(db: Queryable, place: Place, port: number, isListenedOn: PortProbe): Promise<void> {
  const told = { port: `${port}`, server: place.name };
  if (port < place.firstPort || port > place.lastPort)
    throw new AppError('PORT_OUTSIDE_RANGE', {
      ...told,
      firstPort: `${place.firstPort}`,
      lastPort: `${place.lastPort}`,
    });
  const holder = await findRow<{ project: string; service: string }>(db)`
    select project, service from port_allocations where server = ${place.name} and port = ${port} and released_at is null`;
  if (holder) throw new AppError('PORT_TAKEN', { ...told, ...holder });
  if (await isListenedOn(place, port)) throw new AppError('PORT_IN_USE', told);
}

async function lowestFreePort(
  db: Queryable,
  place: Place,
  isListenedOn: PortProbe,
): Promise<{ readonly port: number | null; readonly passedOver: readonly number[] }> {
  const free = await listValues<number>(db)`
    select p.port from generate_series(${place.firstPort}::int, ${place.lastPort}::int) as p (port)
     where not exists (
       select 1 from port_allocations a where a.server = ${place.name} and a.port = p.port and a.released_at is null)
     order by p.port limit ${PROBED}`;
  const passedOver: number[] = [];
  for (const port of free) {
    if (!(await isListenedOn(place, port))) return { port, passedOver };
    passedOver.push(port);
  }
  return { port: null, passedOver };
}

async function retried<T>(pool: Pool, work: (db: Queryable) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTransaction(pool, work);
    } catch (error) {
      if (attempt >= ATTEMPTS || !isTransient(error)) throw error;
    }
  }
}
