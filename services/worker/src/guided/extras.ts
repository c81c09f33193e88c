import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { RecordedRun } from '@signalbox/contracts/governance/execution-turn';
import type { AgentRun } from '../agents/agent.ts';
import type { CommonState } from './state.ts';

/** Data of a single run beside the state; never checkpointed. */
export interface RunExtras {
  readonly run: AgentRun;
  /** Id of the turn's first message: marks what belongs to this turn, also when it is resumed. */
  readonly turnKey: string;
  readonly recorded: RecordedRun;
}

/** The extras that the agent put into the config of this run. */
export function extrasOf(config: LangGraphRunnableConfig): RunExtras {
  return config.configurable?.['extras'] as RunExtras; // put there by turn.ts on every invoke
}

/** This turn's record parts so far. */
export function partsOfTurn({ record }: Pick<CommonState, 'record'>, turnKey: string): CommonState['record'] {
  return record.filter((part) => part.turnKey === turnKey);
}
