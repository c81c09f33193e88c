/** A held lane. `epoch` is the fencing token: every write of the turn carries it. */
export interface Lane {
  readonly userKey: string;
  readonly epoch: string;
}
