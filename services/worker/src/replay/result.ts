import type { RecordedResult } from '@signalbox/contracts/governance/execution-turn';
import type { ToolCallResult } from '@signalbox/governance/calls/call';

/** The recorded result of a call. */
export function asResult(recorded: RecordedResult): ToolCallResult {
  // The record was made from a result: its codes and files are those of results.
  return { result: undefined, ...recorded } as ToolCallResult;
}
