import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { Pool } from '@signalbox/store/pool';
import type { CallScope, Runnable } from './calls/call.ts';
import type { Tools } from './calls/tools.ts';

/** What a person may use, over all their conversations. Null: as much as they like. */
export interface BudgetLimits {
  readonly callsPerHour: number | null;
  readonly tokensPerDay: number | null;
  readonly costUsdPerDay: number | null;
}

/** What governance works with. */
export interface GovernanceDeps {
  readonly pool: Pool;
  /** For locks, which are held while a handler runs. */
  readonly lockPool: Pool;
  readonly tools: Tools;
  readonly limits: BudgetLimits;
  /** The policy set that is in force now. */
  policy(): PolicyEngine;
  /** Takes secrets out of what a tool gave back. */
  redact<T>(value: T): T;
  /** Tells the gateway that a chat has something to send. */
  notify(chatKey: string, traceId: string): Promise<void>;
}

/** One call on its way through governance. */
export interface Execution<C = Runnable> {
  readonly deps: GovernanceDeps;
  readonly scope: CallScope;
  readonly call: C;
}
