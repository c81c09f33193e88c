import type { CheckpointRow } from '@signalbox/store/conversation/checkpoints';
import type { SoFar, soFarOfMessage } from '@signalbox/store/governance/actions';
import type { ClaimedLane, InboxMessage } from '@signalbox/store/conversation/lanes';
import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';
import type { Draft } from '@signalbox/platform/streams/drafts';
import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { Agent } from '../agents/agent.ts';
import type { DecisionEnvelope, Resumed } from '../governance/approvals/approval-resume.ts';
import type { EvaluationOutcome, PassFacts } from '../governance/loop/evaluation.ts';
import type { Loaded } from '../governance/loop/loading.ts';
import type { ToolCall, ToolCallResult } from '../tools/call.ts';
import type { CallScope } from '../tools/run.ts';
import type { AccountParts } from './turn-account.ts';
import type { OfferButtons } from './incident-turn.ts';
import type { RecordHead } from './turn-record.ts';

/** What turns are made with; worker.ts puts it together. */
export interface TurnParts {
  readonly pool: Pool;
  readonly agent: Agent;
  readonly agentId: string;
  readonly agentClass: AgentClass;
  readonly worker: string;
  readonly idleMs: number;
  readonly log: Log;
  /** Names the thread that the checkpoints of this turn belong to, and the fence that they carry. */
  openThread(threadId: string, lane: ClaimedLane): void;
  closeThread(threadId: string, committed: boolean): void;
  /** Makes the thread's newest state durable, before an effect. */
  flush(threadId: string): Promise<void>;
  /** The thread's newest state, to be stored with the end of the turn, and word that it was. */
  pendingCheckpoint(threadId: string): Promise<CheckpointRow | null>;
  checkpointStored(threadId: string): void;
  /** Notes that this conversation is about to read text from outside: by a look-up, or in messages that wait. */
  taint(threadId: string, source: string, messages: readonly InboxMessage[] | null): Promise<void>;
  /** Carries a proposed call through governance. */
  execute(scope: CallScope, call: ToolCall): Promise<ToolCallResult>;
  readonly offer: OfferButtons;
  /** Goes on with an action that somebody decided about. */
  resume(scope: CallScope, decision: DecisionEnvelope): Promise<Resumed>;
  /** Asks policy which capability groups a conversation may have, and writes down what came of it. */
  load(scope: CallScope, groups: readonly string[]): Promise<Loaded>;
  /** The verdict on a pass. `used`: tokens and USD of this turn so far. */
  judge(
    userKey: string,
    pass: PassFacts,
    used: { readonly tokens: number; readonly costUsd: number },
  ): Promise<EvaluationOutcome>;
  /** Tells the gateway that a chat has something to send. Failing is harmless: a sweeper does it again. */
  announce(chatKey: string, traceId: string): Promise<void>;
  /** Shows what is being written to whoever listens. Never rejects. */
  publishDraft(draft: Draft): Promise<void>;
  /** What effects of this turn have come to, in words, for an honest "stopped". */
  soFar(userKey: string, message: Parameters<typeof soFarOfMessage>[2]): Promise<SoFar>;
  /** What the account of a turn is made from. */
  readonly account: AccountParts;
  /** What stands above every record of this worker's turns. */
  recordHead(): RecordHead;
}
