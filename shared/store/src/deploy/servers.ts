import type { ServerConnection, HostInventory } from '@signalbox/contracts/operations/deploy';
import type { DriverName } from '@signalbox/contracts/operations/drivers';
import { AppError } from '@signalbox/contracts/errors';
import { createNameNotFound } from './not-found.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { noteEffect } from '../effects.ts';
import { findRow, listRows, sql, readRow } from '../sql.ts';

/** Result of the last probe. `unknown`: the server was never reached, or its host key is not approved. */
export type ServerHealth = 'unknown' | 'up' | 'down';

export interface ServerRow {
  readonly name: string;
  readonly host: string;
  readonly environment: 'staging' | 'production' | 'local';
  /** Number of CPUs: measured, else as registered, else a minimum that no service fits into. */
  readonly cpus: number;
  readonly memoryMb: number;
  readonly firstPort: number;
  readonly lastPort: number;
  /** Driver of the server; null for a booked server, which Signalbox cannot reach. */
  readonly driver: DriverName | null;
  readonly connection: ServerConnection;
  /** Approved fingerprint of the host key. `hostKeySeen`: the fingerprint that the server showed last. */
  readonly hostKey: string | null;
  readonly hostKeySeen: string | null;
  readonly memoryFreeMb: number | null;
  readonly diskMb: number | null;
  readonly diskFreeMb: number | null;
  readonly engine: string | null;
  readonly measuredAt: Date | null;
  readonly health: ServerHealth;
  readonly healthDetail: string | null;
  readonly healthSince: Date | null;
}

export interface ServerLoadRow extends ServerRow {
  readonly reservedMemoryMb: number;
  readonly portsInUse: number;
}

export interface NewServerRow extends Pick<
  ServerRow,
  'name' | 'host' | 'environment' | 'firstPort' | 'lastPort' | 'driver' | 'connection'
> {
  /** Number of CPUs; null when a probe has to measure it. */
  readonly cpus: number | null;
  readonly memoryMb: number | null;
}

/** Ports that this machine offers: below Linux's ephemeral range (from 32,768), and above the ports that services usually use. */
const LOCAL_PORTS = { first: 20_000, last: 20_999 } as const;

export const SERVER_COLUMNS = sql`s.name, s.host, s.environment, s.cpus, s.memory_mb as "memoryMb", s.first_port as "firstPort",
  s.last_port as "lastPort", s.driver, s.connection, s.host_key as "hostKey", s.host_key_seen as "hostKeySeen",
  s.memory_free_mb as "memoryFreeMb", s.disk_mb as "diskMb", s.disk_free_mb as "diskFreeMb", s.engine,
  s.measured_at as "measuredAt", s.health, s.health_detail as "healthDetail", s.health_since as "healthSince"`;
const LOADS = sql`select ${SERVER_COLUMNS}, coalesce(sum(a.memory_mb), 0)::int as "reservedMemoryMb", count(a.id)::int as "portsInUse"
  from servers s left join port_allocations a on a.server = s.name and a.released_at is null`;

/** Creates access to the servers in Postgres. Registering a server is idempotent by its action id. */
export function createServerStore(pool: Pool) {
  const find = (name: string): Promise<ServerLoadRow | null> => {
    return findRow<ServerLoadRow>(pool)`${LOADS} where s.name = ${name} group by s.name`;
  };
  const get = async (name: string): Promise<ServerLoadRow> => {
    const server = await find(name);
    if (!server) throw await createNameNotFound(pool, 'server', name);
    return server;
  };
  return {
    /** Lists all servers with their reservations, by name. */
    list(): Promise<readonly ServerLoadRow[]> {
      return listRows<ServerLoadRow>(pool)`${LOADS} group by s.name order by s.name`;
    },

    find,

    /** Returns a server by name. Throws NOT_FOUND. */
    get,

    /** Registers a server. Throws ALREADY_EXISTS when another action registered one of that name; one of two concurrent actions wins. */
    async register(server: NewServerRow, actionId: string): Promise<ServerRow> {
      const { name, host, environment, cpus, memoryMb, firstPort, lastPort, driver, connection } = server;
      await pool.query(sql`
        insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, driver, connection, action_id)
         values (${name}, ${host}, ${environment}, coalesce(${cpus}, 1), coalesce(${memoryMb}, 1), ${firstPort}, ${lastPort}, ${driver},
           ${JSON.stringify(connection)}::jsonb, ${actionId}) on conflict do nothing`);
      const registered = await findRow<ServerRow>(pool)`select ${SERVER_COLUMNS} from servers s
          where s.action_id = ${actionId}`;
      if (!registered) throw new AppError('ALREADY_EXISTS', { kind: 'server', name });
      return registered;
    },

    /**
     * Approves the host key that the server has shown. Idempotent. Throws NOT_FOUND, HOST_KEY_UNSEEN, and HOST_KEY_OTHER for another key.
     */
    async trustHostKey(name: string, fingerprint: string, actionId: string): Promise<ServerRow> {
      const trusted = await withTransaction(pool, async (db) => {
        const written = await findRow<ServerRow>(db)`update servers s set host_key = ${fingerprint}
            where s.name = ${name} and s.host_key_seen = ${fingerprint} returning ${SERVER_COLUMNS}`;
        if (written) await noteEffect(db, actionId);
        return written;
      });
      if (trusted) return trusted;
      const { hostKeySeen } = await get(name);
      if (hostKeySeen === null) throw new AppError('HOST_KEY_UNSEEN', { server: name });
      throw new AppError('HOST_KEY_OTHER', { server: name, seen: hostKeySeen, fingerprint });
    },
  };
}

/**
 * Registers this machine as the server `local` with its measured size, when a worker starts. Idempotent: a repeated call only updates the
 * size. The job service finds out whether programs can run here.
 */
export async function ensureLocalServer(
  db: Queryable,
  measured: Pick<HostInventory, 'cpus' | 'memoryMb'> &
    Partial<Pick<HostInventory, 'memoryFreeMb' | 'diskMb' | 'diskFreeMb'>>,
): Promise<ServerRow> {
  const { cpus, memoryMb, memoryFreeMb, diskMb, diskFreeMb } = measured;
  const floor = (megabytes: number | undefined): number | null =>
    megabytes === undefined ? null : Math.floor(megabytes);
  // `on conflict (name)` does not see the index on action_id, so processes that insert at the same moment take turns.
  return readRow<ServerRow>(db)`
    with turn as materialized (select pg_advisory_xact_lock(hashtextextended('the local server', 0)))
    insert into servers as s (name, host, environment, cpus, memory_mb, first_port, last_port, driver, action_id,
                               memory_free_mb, disk_mb, disk_free_mb)
     select 'local', '127.0.0.1', 'local', ${Math.max(1, cpus)}::int, ${Math.max(1, Math.floor(memoryMb))}::int,
            ${LOCAL_PORTS.first}::int, ${LOCAL_PORTS.last}::int, 'process', 'local',
            ${floor(memoryFreeMb)}::int, ${floor(diskMb)}::int, ${floor(diskFreeMb)}::int from turn
     on conflict (name) do update set cpus = excluded.cpus, memory_mb = excluded.memory_mb, driver = 'process',
       memory_free_mb = coalesce(excluded.memory_free_mb, s.memory_free_mb), disk_mb = coalesce(excluded.disk_mb, s.disk_mb),
       disk_free_mb = coalesce(excluded.disk_free_mb, s.disk_free_mb)
     returning ${SERVER_COLUMNS}`;
}
