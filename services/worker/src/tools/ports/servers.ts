import type { Connection } from '@signalbox/contracts/operations/deploy';
import type { DriverName } from '@signalbox/contracts/operations/drivers';

export interface Server {
  readonly name: string;
  readonly host: string;
  readonly environment: 'staging' | 'production' | 'local';
  /** As measured; as told until then. */
  readonly cpus: number;
  readonly memoryMb: number;
  readonly firstPort: number;
  readonly lastPort: number;
  /** Null: it is only booked, and nothing can be done there. */
  readonly driver: DriverName | null;
  readonly connection: Connection;
  /** The approved fingerprint of its host key, and the one that answered last. */
  readonly hostKey: string | null;
  readonly hostKeySeen: string | null;
  readonly memoryFreeMb: number | null;
  readonly diskMb: number | null;
  readonly diskFreeMb: number | null;
  readonly engine: string | null;
  /** Null: never reached. */
  readonly measuredAt: Date | null;
  readonly health: 'unknown' | 'up' | 'down';
  /** Why it is not up. */
  readonly healthDetail: string | null;
  readonly healthSince: Date | null;
}

export interface ServerLoad extends Server {
  /** Memory promised to active allocations, in megabytes. */
  readonly reservedMemoryMb: number;
  readonly portsInUse: number;
}

/** What is told of a new server; its size may be left to measuring. */
export interface NewServer extends Pick<
  Server,
  'name' | 'host' | 'environment' | 'firstPort' | 'lastPort' | 'driver' | 'connection'
> {
  readonly cpus: number | null;
  readonly memoryMb: number | null;
}

/** The servers that work can be placed on. */
export interface Servers {
  list(): Promise<readonly ServerLoad[]>;
  /** Null when there is none of that name. */
  find(name: string): Promise<ServerLoad | null>;
  /** Throws NOT_FOUND, which names the servers that exist. */
  get(name: string): Promise<ServerLoad>;
  /** Idempotent by action id. Throws ALREADY_EXISTS. */
  register(server: NewServer, actionId: string): Promise<Server>;
  /** Approves the host key that the server has shown, and no other. Twice is safe. Throws NOT_FOUND, CONFLICT. */
  trustHostKey(name: string, fingerprint: string, actionId: string): Promise<Server>;
}
