import { isSlow, type HealthMeasurements, type Verdict } from '../health/verdict.ts';

/**
 * What a probe says about slowness. `slow`: the service, or its whole machine, answered slowly or not in time. `unproven`: this process was
 * so late that the service may have answered in time. `none`: another trouble, or no trouble.
 */
export type Strain = 'none' | 'slow' | 'unproven';

/** Usual latency of a service that was never measured, when its answer does not come in time. */
const USUAL_MS = 125;

/** Judges the slowness that a probe found without the time for which this process was late. Pure. */
export function judgeStrain(
  { proxy, usualLatencyMs, lagMs, timedOutMs }: HealthMeasurements,
  kind: Verdict['kind'],
): Strain {
  const proves = (holds: boolean): Strain => (holds ? 'slow' : 'unproven');
  if (kind === 'slow') return proves(isSlow((proxy?.latencyMs ?? 0) - lagMs, usualLatencyMs));
  if (kind !== 'down' || timedOutMs === null) return 'none';
  return proves(isSlow(timedOutMs - lagMs, usualLatencyMs ?? USUAL_MS));
}

/** Newest probe of a service, with others of the same machine. */
interface MachineProbe {
  readonly isStrained: boolean;
  /** Number of consecutive probes that found it unhealthy. */
  readonly bad: number;
}

/** Services that are slow together show that their machine is slow: at least this many, and this part of those that were probed. */
const MIN_SLOW = 2;
const MIN_PART = 0.75;

/**
 * True when the machine is slow and not its services. It begins when most services are slow and one of them was so twice, and lasts while
 * two are. Pure.
 */
export function isMachineSlow(probes: readonly MachineProbe[], isOpen: boolean): boolean {
  const strained = probes.filter(({ isStrained }) => isStrained);
  if (isOpen) return strained.length >= MIN_SLOW;
  const slow = strained.filter(({ bad }) => bad > 0);
  const isMost = slow.length >= MIN_SLOW && slow.length >= probes.length * MIN_PART;
  return isMost && slow.some(({ bad }) => bad > 1);
}
