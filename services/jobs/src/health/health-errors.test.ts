import { expect, test } from 'vitest';
import { findCrashErrors, toIncidentError } from './health-errors.ts';
import type { Verdict } from './verdict.ts';

const look = { instance: 'i1', isLost: false };
const ended = { running: false, restarts: null, exitCode: 3, oom: false, memoryMb: null };
const running = { ...ended, running: true, restarts: 2, exitCode: null };
const fresh = { ended: false, instance: 'i1' };

test('a crash is recorded once with its exit code, however many probes see it', () => {
  const found = { process: ended, newRestarts: 0, release: 'r1' };
  expect(findCrashErrors(fresh, found, look)).toEqual([
    expect.objectContaining({ source: 'health', count: 1, sample: expect.stringContaining('(exit code 3)') }),
  ]);
  expect(findCrashErrors({ ended: true, instance: 'i1' }, found, look)).toEqual([]);
  // Another instance has ended.
  expect(findCrashErrors({ ended: true, instance: 'i0' }, found, look)).toHaveLength(1);
});

test('every restart after a crash is counted, and each exit code is recorded as an error of its own', () => {
  const one = findCrashErrors(fresh, { process: running, newRestarts: 2, release: null }, look);
  expect(one).toEqual([expect.objectContaining({ count: 2, sample: expect.stringContaining('exit code unknown') })]);
  const other = findCrashErrors(fresh, { process: { ...running, exitCode: 9 }, newRestarts: 1, release: null }, look);
  expect(other[0]?.fingerprint).not.toBe(one[0]?.fingerprint);
});

test('no crash is recorded for a program that runs, was stopped on purpose, or could not be probed', () => {
  expect(findCrashErrors(fresh, { process: running, newRestarts: 0, release: null }, look)).toEqual([]);
  expect(findCrashErrors(fresh, { process: ended, newRestarts: 0, release: null }, { ...look, isLost: true })).toEqual(
    [],
  );
  expect(findCrashErrors(fresh, { process: null, newRestarts: 0, release: null }, look)).toEqual([]);
});

test('an incident is recorded as an error unless its cause was already recorded', () => {
  const verdict: Verdict = { verdict: 'down', kind: 'down', because: 'It answers with status 500.' };
  expect(toIncidentError(verdict, 'r1')).toMatchObject({ sample: 'It answers with status 500.', count: 1 });
  for (const kind of ['oom', 'exited', 'restarts', 'errors', null] as const)
    expect(toIncidentError({ ...verdict, kind }, 'r1')).toBeNull();
});
