import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { RecordedRun } from '@signalbox/contracts/governance/execution-turn';
import type { AgentRun } from '../agents/agent.ts';
import type { CommonState } from './state.ts';

/** Data of a single run beside the state; never checkpointed. */
export interface RunExtras {
  readonly run: AgentRun;
  /** The id of the turn's first message, which also identifies a resumed turn. */
  readonly turnKey: string;
  readonly recorded: RecordedRun;
}

export function getRunExtras(config: LangGraphRunnableConfig): RunExtras {
  return config.configurable?.['extras'] as RunExtras; // turn.ts sets it on every invoke
}

export function listTurnParts({ record }: Pick<CommonState, 'record'>, turnKey: string): CommonState['record'] {
  return record.filter((part) => part.turnKey === turnKey);
}
