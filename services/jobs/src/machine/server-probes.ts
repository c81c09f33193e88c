import type { HostInventory } from '@signalbox/contracts/operations/deploy';
import { createNameNotFound } from '@signalbox/store/deploy/not-found';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { SERVER_COLUMNS, type ServerRow } from '@signalbox/store/deploy/servers';
import { findRow, listRows, sql } from '@signalbox/store/sql';

export interface WatchedServer extends ServerRow {
  /** The person who registered the server; null for this machine. */
  readonly owner: string | null;
  readonly language: string | null;
}

export type ServerProbe =
  | {
      readonly kind: 'up';
      readonly inventory: HostInventory;
      /** Commands of lost connections that this probe killed. */
      readonly ended: readonly { readonly pid: number; readonly ranMs: number }[];
    }
  | {
      /** The kind of failure; `unknown`: nobody has approved the server's host key. */
      readonly kind: 'down' | 'unknown';
      readonly detail: string;
      /** The host key that the server presented, when it is not the approved host key. */
      readonly hostKey: string | null;
    };

const WATCHED = sql`select ${SERVER_COLUMNS}, a.user_key as owner, user_language(a.user_key) as language from servers s left join actions a on a.action_id = s.action_id`;

/** Stores measurements of servers in Postgres. */
export function createServerProbeStore(pool: Pool) {
  return {
    listWatched(): Promise<readonly WatchedServer[]> {
      return listRows<WatchedServer>(pool)`${WATCHED} where s.driver is not null order by s.name`;
    },

    async get(name: string): Promise<WatchedServer> {
      const server = await findRow<WatchedServer>(pool)`${WATCHED} where s.name = ${name}`;
      if (!server) throw await createNameNotFound(pool, 'server', name);
      return server;
    },

    /** Stores a probe of a server. Measured figures replace registered figures. Idempotent. */
    async save(name: string, probe: ServerProbe): Promise<void> {
      const measured = probe.kind === 'up' ? probe.inventory : null;
      await pool.query(sql`update servers set
           cpus = coalesce(${measured?.cpus ?? null}, cpus), memory_mb = coalesce(${measured?.memoryMb ?? null}, memory_mb),
             memory_free_mb = coalesce(${measured?.memoryFreeMb ?? null}, memory_free_mb),
           disk_mb = coalesce(${measured?.diskMb ?? null}, disk_mb),
             disk_free_mb = coalesce(${measured?.diskFreeMb ?? null}, disk_free_mb), engine = coalesce(${measured?.engine ?? null}, engine),
           measured_at = case when ${measured?.cpus ?? null}::int is null then measured_at else clock_timestamp() end,
           host_key_seen = coalesce(${probe.kind === 'up' ? null : probe.hostKey}, host_key_seen),
           health = ${probe.kind}, health_detail = ${probe.kind === 'up' ? null : probe.detail}, checked_at = clock_timestamp(),
           health_since = case when health = ${probe.kind} and health_since is not null then health_since else clock_timestamp() end
         where name = ${name}`);
    },
  };
}

export type ServerProbeStore = ReturnType<typeof createServerProbeStore>;

/** Closes an incident without notifying anybody. Idempotent. */
export async function closeIncidentSilently(db: Queryable, subject: string, kind: string): Promise<void> {
  await db.query(sql`update incidents set closed_at = clock_timestamp() where subject = ${subject} and kind = ${kind}
      and closed_at is null`);
}
