import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { createNameNotFound } from '@signalbox/store/deploy/not-found';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { say } from '@signalbox/messages/say';
import { findRow, findValue, listValues, sql } from '@signalbox/store/sql';

interface Lease {
  readonly server: string;
  readonly project: string;
  /** What the port is for: the name of the environment for a service's public port, or `instance:<deployment>`. */
  readonly label: string;
  readonly memoryMb: number;
  readonly by: string;
}

export function createInstanceLabel(deploymentId: string): string {
  return `instance:${deploymentId}`;
}

/** Leases ports of servers in the table `port_allocations`. A lease lasts until the port is released. */
export function createPortLeases(pool: Pool) {
  return {
    /** Returns the port leased before (`isOld`), or leases the lowest free port not in `avoid`. Throws NOT_FOUND, NO_CAPACITY. */
    lease: (lease: Lease, avoid: readonly number[]) => withTransaction(pool, (db) => take(db, lease, avoid)),

    async end(server: string, project: string, label: string): Promise<void> {
      await pool.query(sql`
        update port_allocations set released_at = clock_timestamp(), release_action_id = ${newId('lease')} || ':' || id
          where server = ${server} and project = ${project} and service = ${label} and released_at is null`);
    },

    async find(server: string, project: string, label: string): Promise<number | null> {
      return findValue<number>(pool)`select port from port_allocations where server = ${server}
          and project = ${project} and service = ${label} and released_at is null order by id limit 1`;
    },

    /** Finds the lowest free port of a server that is not in `avoid`, without leasing it. Null when all ports are leased. */
    async findFreePort(server: string, avoid: readonly number[]): Promise<number | null> {
      return findValue<number>(pool)`
        select p.port from servers s, generate_series(s.first_port, s.last_port) as p (port)
          where s.name = ${server} and p.port <> all (${avoid}::int[]) and not exists (
            select 1 from port_allocations a where a.server = s.name and a.port = p.port and a.released_at is null)
          order by p.port limit 1`;
    },

    listLeasedInstances(service: ServiceKey): Promise<readonly string[]> {
      return listValues<string>(pool)`select d.deployment_id from port_allocations a
           join deployments d on a.project = d.project and a.server = d.server and a.service = 'instance:' || d.deployment_id
          where a.released_at is null and d.project = ${service.project} and d.environment = ${service.environment} order by a.id`;
    },
  };
}

export type PortLeases = ReturnType<typeof createPortLeases>;

/** Leases the lowest free port that `isUsable` accepts. Throws NOT_FOUND (server), NO_CAPACITY. */
export async function leaseUsablePort(
  leases: PortLeases,
  lease: Lease,
  isUsable: (port: number, isOld: boolean) => Promise<boolean>,
): Promise<number> {
  const taken: number[] = [];
  for (;;) {
    const { port, isOld } = await leases.lease(lease, taken);
    if (await isUsable(port, isOld)) return port;
    await leases.end(lease.server, lease.project, lease.label);
    taken.push(port);
  }
}

async function take(db: Queryable, lease: Lease, avoid: readonly number[]) {
  const { server, project, label, memoryMb, by } = lease;
  // Locks the row of the server, as every allocation of a port does.
  const place = await findRow<{ memoryMb: number; first: number; last: number }>(db)`
    select memory_mb as "memoryMb", first_port as first, last_port as last from servers where name = ${server} for no key update`;
  if (!place) throw await createNameNotFound(db, 'server', server);
  const held = await findValue<number>(db)`
    select port from port_allocations where server = ${server} and project = ${project} and service = ${label} and released_at is null
        and port <> all (${avoid}::int[]) order by id limit 1`;
  if (held !== null) return { port: held, isOld: true };
  await requireMemory(db, server, place.memoryMb, memoryMb);
  const leased = await findValue<number>(db)`
    insert into port_allocations (server, port, project, service, memory_mb, allocated_by, action_id)
     select ${server}, p.port, ${project}, ${label}, ${memoryMb}, ${by}, ${newId('lease')}
       from generate_series(${place.first}::int, ${place.last}::int) as p (port)
      where p.port <> all (${avoid}::int[]) and not exists (
        select 1 from port_allocations a where a.server = ${server} and a.port = p.port and a.released_at is null)
      order by p.port limit 1
     returning port`;
  if (leased !== null) return { port: leased, isOld: false };
  throw new AppError('NO_CAPACITY', {
    detail: say('deployment.portsTaken', { server, first: place.first, last: place.last }),
  });
}

async function requireMemory(db: Queryable, server: string, totalMb: number, neededMb: number): Promise<void> {
  const reservedMb = await findValue(db, 0)`select sum(memory_mb)::int
      from port_allocations where server = ${server} and released_at is null`;
  const freeMb = totalMb - reservedMb;
  if (neededMb <= freeMb) return;
  const room = { server, free: Math.max(0, freeMb), total: totalMb, needed: neededMb };
  throw new AppError('NO_CAPACITY', { detail: say('deployment.memoryTaken', room) });
}
