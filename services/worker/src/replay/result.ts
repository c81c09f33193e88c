import type { RecordedResult } from '@signalbox/contracts/governance/execution-turn';
import type { ToolCallResult } from '@signalbox/governance/calls/call';

export function toToolCallResult(recorded: RecordedResult): ToolCallResult {
  // the record was made from such a result
  return { result: undefined, ...recorded } as ToolCallResult;
}
