import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import type { AgentRun } from '../agents/agent.ts';
import type { GuidedState } from './state.ts';

/** Values of a single run beside the conversation's state; never checkpointed. */
export interface RunContext {
  readonly run: AgentRun;
  /** The id of the turn's first message, which also identifies a resumed turn. */
  readonly turnKey: string;
  readonly recorded: RecordedTurnRun;
}

export function getRunContext(config: LangGraphRunnableConfig): RunContext {
  return config.configurable?.['extras'] as RunContext; // turn.ts sets it on every invoke
}

export function listNodeRecords({ record }: Pick<GuidedState, 'record'>, turnKey: string): GuidedState['record'] {
  return record.filter((part) => part.turnKey === turnKey);
}
