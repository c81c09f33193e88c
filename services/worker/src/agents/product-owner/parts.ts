import type { BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { ModelSpend } from '@signalbox/models/port';
import type { PromptContext, RecordedRun } from '@signalbox/contracts/governance/execution-turn';
import type { AgentParts, AgentRun } from '../agent.ts';
import type { SessionState, SessionUpdate, TurnSpend } from './state.ts';

export type GraphParts = Pick<AgentParts, 'registry' | 'maxPasses' | 'model' | 'search'>;

/** What a single run carries beside the state. Never checkpointed. */
export interface RunExtras {
  readonly run: AgentRun;
  /** The names that the conversation may mean, looked up once and again after a tool may have changed them. */
  readonly names: (state: Pick<SessionState, 'messages' | 'currentProject'>) => ReturnType<AgentParts['knownNames']>;
  /** What the person, their work and their memory were when this run began; null where nobody tells. */
  readonly context: () => Promise<PromptContext | null>;
  /** What calls came to that an earlier turn left open. */
  readonly cameOf: AgentParts['cameOf'];
  /** Index of the turn's first message. */
  readonly turnStart: (messages: readonly BaseMessage[]) => number;
  /** Id of the turn's first message: marks what belongs to this turn, also when it is resumed. */
  readonly turnKey: string;
  /** This run, as the record of the turn names it. */
  readonly recorded: RecordedRun;
}

/** The extras that the agent put into the config of this run. */
export function runOf(config: LangGraphRunnableConfig): RunExtras {
  return config.configurable?.['extras'] as RunExtras; // put there by index.ts on every invoke
}

/** Counts what a node's model uses: at once for the turn, and in the update of the state, so that a resumed turn still knows. */
export function spendCounter({ run, turnKey }: Pick<RunExtras, 'run' | 'turnKey'>): {
  readonly onSpend: (spend: ModelSpend) => void;
  /** The part of the node's update that keeps the count; nothing for models that cost nothing. */
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
