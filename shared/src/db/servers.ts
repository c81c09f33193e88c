import { AppError } from '../errors.ts';
import { nameNotFound } from './not-found.ts';
import type { Pool, Queryable } from './pool.ts';

export interface ServerRow {
  readonly name: string;
  readonly host: string;
  readonly environment: 'staging' | 'production' | 'local';
  readonly cpus: number;
  readonly memoryMb: number;
  readonly firstPort: number;
  readonly lastPort: number;
}

export interface ServerLoadRow extends ServerRow {
  readonly reservedMemoryMb: number;
  readonly portsInUse: number;
}

/** Ports that this machine offers: below the ephemeral range of Linux (32,768 up), above what services usually claim. */
const LOCAL_PORTS = { first: 20_000, last: 20_999 } as const;

const COLUMNS = `s.name, s.host, s.environment, s.cpus, s.memory_mb as "memoryMb", s.first_port as "firstPort", s.last_port as "lastPort"`;
const LOADS = `select ${COLUMNS}, coalesce(sum(a.memory_mb), 0)::int as "reservedMemoryMb", count(a.id)::int as "portsInUse"
  from servers s left join port_allocations a on a.server = s.name and a.released_at is null`;

/** The servers in Postgres. Registering is idempotent by its action id. */
export function createServers(pool: Pool) {
  const find = async (name: string): Promise<ServerLoadRow | null> => {
    const { rows } = await pool.query<ServerLoadRow>(`${LOADS} where s.name = $1 group by s.name`, [name]);
    return rows[0] ?? null;
  };
  return {
    /** All servers with what is reserved on them, by name. */
    async list(): Promise<readonly ServerLoadRow[]> {
      const { rows } = await pool.query<ServerLoadRow>(`${LOADS} group by s.name order by s.name`);
      return rows;
    },

    find,

    /** Throws NOT_FOUND. */
    async get(name: string): Promise<ServerLoadRow> {
      const server = await find(name);
      if (!server) throw await nameNotFound(pool, 'server', name);
      return server;
    },

    /** Throws ALREADY_EXISTS when another action registered that name; of two at once, one wins. */
    async register(server: ServerRow, actionId: string): Promise<ServerRow> {
      const { name, host, environment, cpus, memoryMb, firstPort, lastPort } = server;
      await pool.query(
        `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
        [name, host, environment, cpus, memoryMb, firstPort, lastPort, actionId],
      );
      const { rows } = await pool.query<ServerRow>(`select ${COLUMNS} from servers s where s.action_id = $1`, [
        actionId,
      ]);
      const [registered] = rows;
      if (!registered) throw new AppError('ALREADY_EXISTS', { kind: 'server', name });
      return registered;
    },
  };
}

/**
 * Makes this machine known as the server `local`, with the size that the caller measured; called at each start of a worker.
 * Calling it again, also from several processes at once, only updates the size.
 */
export async function ensureLocalServer(
  db: Queryable,
  measured: { readonly cpus: number; readonly memoryMb: number },
): Promise<ServerRow> {
  const { rows } = await db.query<ServerRow>(
    `insert into servers as s (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
     values ('local', '127.0.0.1', 'local', $1, $2, $3, $4, 'local')
     on conflict (name) do update set cpus = excluded.cpus, memory_mb = excluded.memory_mb
     returning ${COLUMNS}`,
    [Math.max(1, measured.cpus), Math.max(1, Math.floor(measured.memoryMb)), LOCAL_PORTS.first, LOCAL_PORTS.last],
  );
  const [server] = rows;
  if (!server) throw new Error('an upsert returned no row');
  return server;
}
