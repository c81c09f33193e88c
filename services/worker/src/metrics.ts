import { Counter, Histogram, type Registry } from 'prom-client';
import type { LaneOptions } from './lanes.ts';

/** Upper bounds in seconds: from a turn without a model call to one that uses up its passes. */
const TURN_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Counts turns by how they ended, and how long a lane was held. */
export function observeTurns(registry: Registry): NonNullable<LaneOptions['onTurn']> {
  const turns = new Counter({
    name: 'signalbox_turns_total',
    help: 'Turns by result.',
    labelNames: ['result'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'signalbox_turn_duration_seconds',
    help: 'From begin to the end of the turn.',
    buckets: TURN_BUCKETS,
    registers: [registry],
  });
  return (result, durationMs) => {
    turns.inc({ result });
    duration.observe(durationMs / 1_000);
  };
}
