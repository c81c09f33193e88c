import type { BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { ModelSpend } from '@signalbox/models/port';
import type { PromptContext, RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import type { AgentDeps, AgentRun } from '../agent.ts';
import type { SessionState, SessionUpdate, TurnSpend } from './state.ts';

export type GraphNodeDeps = Pick<AgentDeps, 'registry' | 'others' | 'maxPasses' | 'model' | 'search' | 'readResult'>;

/** Data of a single run that is not in the state and never checkpointed. */
export interface RunExtras {
  readonly run: AgentRun;
  /** Finds names that the conversation may contain; looks them up again after a tool may have changed them. */
  readonly names: (state: Pick<SessionState, 'messages' | 'currentProject'>) => ReturnType<AgentDeps['knownNames']>;
  /** Groups that the person may load in this conversation, loaded or not. */
  readonly offered: () => Promise<readonly string[]>;
  /** Facts about the person, their work and memory at the start of this run; null when there are none. */
  readonly context: () => Promise<PromptContext | null>;
  readonly cameOf: AgentDeps['cameOf'];
  readonly turnStart: (messages: readonly BaseMessage[]) => number;
  /** The id of the turn's first message, which also identifies a resumed turn. */
  readonly turnKey: string;
  readonly recorded: RecordedTurnRun;
}

export function getRunExtras(config: LangGraphRunnableConfig): RunExtras {
  return config.configurable?.['extras'] as RunExtras; // index.ts sets this field on every invoke
}

/** Counts a node's model usage for the turn, and keeps the count in the state for a resumed turn. */
export function createSpendCounter({ run, turnKey }: Pick<RunExtras, 'run' | 'turnKey'>): {
  readonly onSpend: (spend: ModelSpend) => void;
  /** Returns the state update with the count; empty for models without cost. */
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
