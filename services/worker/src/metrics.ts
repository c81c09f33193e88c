import { createCount, createDuration } from '@signalbox/shared/metrics';
import type { createMetrics } from '@signalbox/shared/probe';
import type { LaneOptions } from './lanes.ts';

/** Counts turns by how they ended, and how long a lane was held. */
export function observeTurns(registry: ReturnType<typeof createMetrics>): NonNullable<LaneOptions['onTurn']> {
  const turns = createCount(registry, 'signalbox_turns_total', 'Turns by result.', ['result']);
  const duration = createDuration(registry, 'signalbox_turn_duration_seconds', 'From begin to the end of a turn.', [
    'result',
  ]);
  return (result, durationMs) => {
    turns.add({ result });
    duration.observe({ result }, durationMs);
  };
}
