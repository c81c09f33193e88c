import type { Inventory } from '@signalbox/contracts/operations/deploy';
import { nameNotFound } from '@signalbox/store/deploy/not-found';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { SERVER_COLUMNS, type ServerRow } from '@signalbox/store/deploy/servers';
import { findRow, listRows, sql } from '@signalbox/store/sql';

/** A server that can be looked at. */
export interface WatchedServer extends ServerRow {
  /** Who registered it; nobody for this machine. */
  readonly owner: string | null;
  /** What they read. */
  readonly language: string | null;
}

/** What a look at a server has found. */
export type ServerLook =
  | {
      readonly kind: 'up';
      readonly inventory: Inventory;
      /** Commands that ran on after their link was lost, and were ended by this look. */
      readonly ended: readonly { readonly pid: number; readonly ranMs: number }[];
    }
  | {
      /** unknown: nobody has approved the host key that it shows. */
      readonly kind: 'down' | 'unknown';
      /** A sentence for people. */
      readonly detail: string;
      /** The host key that answered, when it was not the approved one. */
      readonly hostKey: string | null;
    };

const WATCHED = sql`select ${SERVER_COLUMNS}, a.user_key as owner, user_language(a.user_key) as language from servers s left join actions a on a.action_id = s.action_id`;

/** What is measured of servers, in Postgres. */
export function createServerProbes(pool: Pool) {
  return {
    /** Those with a driver, by name. */
    watched(): Promise<readonly WatchedServer[]> {
      return listRows<WatchedServer>(pool)`${WATCHED} where s.driver is not null order by s.name`;
    },

    /** Throws NOT_FOUND. */
    async get(name: string): Promise<WatchedServer> {
      const server = await findRow<WatchedServer>(pool)`${WATCHED} where s.name = ${name}`;
      if (!server) throw await nameNotFound(pool, 'server', name);
      return server;
    },

    /** Writes down what was found: what was measured counts from now on, whatever was told. Idempotent. */
    async save(name: string, look: ServerLook): Promise<void> {
      const measured = look.kind === 'up' ? look.inventory : null;
      await pool.query(sql`update servers set
           cpus = coalesce(${measured?.cpus ?? null}, cpus), memory_mb = coalesce(${measured?.memoryMb ?? null}, memory_mb),
             memory_free_mb = coalesce(${measured?.memoryFreeMb ?? null}, memory_free_mb),
           disk_mb = coalesce(${measured?.diskMb ?? null}, disk_mb),
             disk_free_mb = coalesce(${measured?.diskFreeMb ?? null}, disk_free_mb), engine = coalesce(${measured?.engine ?? null}, engine),
           measured_at = case when ${measured?.cpus ?? null}::int is null then measured_at else clock_timestamp() end,
           host_key_seen = coalesce(${look.kind === 'up' ? null : look.hostKey}, host_key_seen),
           health = ${look.kind}, health_detail = ${look.kind === 'up' ? null : look.detail}, checked_at = clock_timestamp(),
           health_since = case when health = ${look.kind} and health_since is not null then health_since else clock_timestamp() end
         where name = ${name}`);
    },
  };
}

export type ServerProbes = ReturnType<typeof createServerProbes>;

/** Ends an incident of which everything was said when it was opened. Idempotent. */
export async function closeQuietly(db: Queryable, subject: string, kind: string): Promise<void> {
  await db.query(sql`update incidents set closed_at = clock_timestamp() where subject = ${subject} and kind = ${kind}
      and closed_at is null`);
}
