import type { BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { ModelSpend } from '@signalbox/models/port';
import type { PromptContext, RecordedRun } from '@signalbox/contracts/governance/execution-turn';
import type { AgentParts, AgentRun } from '../agent.ts';
import type { SessionState, SessionUpdate, TurnSpend } from './state.ts';

export type GraphParts = Pick<AgentParts, 'registry' | 'maxPasses' | 'model' | 'search'>;

/** Data of a single run beside the state; never checkpointed. */
export interface RunExtras {
  readonly run: AgentRun;
  /** Names that the conversation may mention, looked up again after a tool may have changed them. */
  readonly names: (state: Pick<SessionState, 'messages' | 'currentProject'>) => ReturnType<AgentParts['knownNames']>;
  /** Facts about the person, their work and memory when this run started; null when there are none. */
  readonly context: () => Promise<PromptContext | null>;
  /** Results of calls that an earlier turn left open. */
  readonly cameOf: AgentParts['cameOf'];
  readonly turnStart: (messages: readonly BaseMessage[]) => number;
  /** Id of the turn's first message, which identifies the turn even when it is resumed. */
  readonly turnKey: string;
  readonly recorded: RecordedRun;
}

/** The extras in the config of this run. */
export function runOf(config: LangGraphRunnableConfig): RunExtras {
  return config.configurable?.['extras'] as RunExtras; // put there by index.ts on every invoke
}

/** Counts model usage of a node for the turn, and in the state, so that a resumed turn knows it. */
export function spendCounter({ run, turnKey }: Pick<RunExtras, 'run' | 'turnKey'>): {
  readonly onSpend: (spend: ModelSpend) => void;
  /** The update of the node that keeps the count; empty for models without cost. */
  update(): Pick<SessionUpdate, 'spent'>;
} {
  const spent: TurnSpend[] = [];
  return {
    onSpend: (spend) => {
      run.spent(spend);
      if (spend.costUsd !== 0) spent.push({ ...spend, turnKey });
    },
    update: () => (spent.length > 0 ? { spent } : {}),
  };
}
