export interface PortAllocation {
  readonly server: string;
  readonly port: number;
  readonly project: string;
  readonly service: string;
  readonly memoryMb: number;
  readonly allocatedBy: string;
  readonly allocatedAt: Date;
}

/** A port that was taken now, and the lower ones that nobody holds but that something listens on. */
export interface TakenPort extends PortAllocation {
  readonly passedOver: readonly number[];
}

/** Which port of which server belongs to whom. No port is ever held twice, whoever asks at the same time. */
export interface PortAllocations {
  /** What is held now, by server and port. */
  list(filter: { readonly server?: string; readonly project?: string }): Promise<readonly PortAllocation[]>;
  /** The lowest free port that nothing listens on, without taking it. Null when the server is full. Throws NOT_FOUND. */
  next(server: string): Promise<number | null>;
  /**
   * Takes a port: the one named, or the lowest free one that nothing listens on. Idempotent by action id. Throws NOT_FOUND
   * (server, project), CONFLICT (named port taken, listened on or outside the range, project archived),
   * NO_CAPACITY (no free port, not enough memory).
   */
  allocate(
    request: Omit<PortAllocation, 'port' | 'allocatedAt'> & { readonly port: number | null },
    actionId: string,
  ): Promise<TakenPort>;
  /** What an action took, or gave back; null: nothing. */
  of(actionId: string): Promise<PortAllocation | null>;
  /** Gives a port and its memory back. Idempotent by action id. Throws NOT_FOUND when nobody holds it. */
  release(server: string, port: number, actionId: string): Promise<PortAllocation>;
}
