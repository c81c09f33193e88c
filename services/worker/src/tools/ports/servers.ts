export interface Server {
  readonly name: string;
  readonly host: string;
  readonly environment: 'staging' | 'production' | 'local';
  readonly cpus: number;
  readonly memoryMb: number;
  readonly firstPort: number;
  readonly lastPort: number;
}

export interface ServerLoad extends Server {
  /** Memory promised to active allocations, in megabytes. */
  readonly reservedMemoryMb: number;
  readonly portsInUse: number;
}

/** The servers that work can be placed on. */
export interface Servers {
  list(): Promise<readonly ServerLoad[]>;
  /** Null when there is none of that name. */
  find(name: string): Promise<ServerLoad | null>;
  /** Throws NOT_FOUND, which names the servers that exist. */
  get(name: string): Promise<ServerLoad>;
  /** Idempotent by action id. Throws ALREADY_EXISTS. */
  register(server: Server, actionId: string): Promise<Server>;
}
