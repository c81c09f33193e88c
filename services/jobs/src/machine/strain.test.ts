import { expect, it } from 'vitest';
import { createEmptyMeasurements } from '../health/probe-service.ts';
import { isMachineSlow, judgeStrain } from './strain.ts';

const well = { isStrained: false, bad: 0 };
const once = { isStrained: true, bad: 1 };
const twice = { isStrained: true, bad: 2 };
/** It was slow, and one probe has found it well since. */
const recovering = { isStrained: true, bad: 0 };

it.each([
  ['all are slow', [twice, twice], false, true],
  ['all are slow, most of them for the first time', [twice, once, once, once], false, true],
  ['all are slow for the first time', [once, once, once], false, false],
  ['one is slow', [twice, well, well], false, false],
  ['the only one is slow', [twice], false, false],
  ['half are slow', [twice, twice, well, well], false, false],
  ['half are still slow', [twice, twice, well, well], true, true],
  ['one is still slow', [twice, well, well, well], true, false],
  ['one is slow and another was', [twice, recovering], false, false],
  ['two were slow', [recovering, recovering, well], true, true],
])('when %s', (_, probes, isOpen, isSlow) => {
  expect(isMachineSlow(probes, isOpen)).toBe(isSlow);
});

it.each([
  ['slow', { latencyMs: 900 }, 0, 'slow'],
  ['slow', { latencyMs: 900 }, 600, 'unproven'],
  ['down', { timedOutMs: 5_000 }, 500, 'slow'],
  ['down', { timedOutMs: 5_000 }, 3_000, 'slow'],
  ['down', { timedOutMs: 5_000 }, 4_700, 'unproven'],
  ['down', {}, 9_000, 'none'],
  ['errors', { latencyMs: 20 }, 9_000, 'none'],
] as const)('a probe that found it %s (%o) by a process that was %d ms late is %s', (kind, found, lagMs, strain) => {
  const { latencyMs, timedOutMs } = { latencyMs: null, timedOutMs: null, ...found };
  const proxy = { status: latencyMs === null ? null : 200, latencyMs, error: null };
  const measured = { ...createEmptyMeasurements(0), proxy, usualLatencyMs: 20, lagMs, timedOutMs };
  expect(judgeStrain(measured, kind)).toBe(strain);
});
