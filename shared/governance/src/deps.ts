import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { Pool } from '@signalbox/store/pool';
import type { CallScope, RunnableCall } from './calls/call.ts';
import type { InstalledTools } from './calls/tools.ts';

/** A person's limits over all their conversations. Null: unlimited. */
export interface BudgetLimits {
  readonly callsPerHour: number | null;
  readonly tokensPerDay: number | null;
  readonly costUsdPerDay: number | null;
}

export interface GovernanceDeps {
  readonly pool: Pool;
  /** A pool for locks, whose connections are held while a handler runs. */
  readonly lockPool: Pool;
  readonly tools: InstalledTools;
  readonly limits: BudgetLimits;
  policy(): PolicyEngine;
  /** Removes secrets from a tool's result. */
  redact<T>(value: T): T;
  /** Notifies the gateway of a chat with new messages. Urgent ones overtake the replies to other chats. */
  notify(chatKey: string, traceId: string, isUrgent?: boolean): Promise<void>;
}

export interface CallExecution<C = RunnableCall> {
  readonly deps: GovernanceDeps;
  readonly scope: CallScope;
  readonly call: C;
}
