import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jobIdOf, runIdOf } from './names.ts';

it('every run id has a job id of its own that BullMQ accepts, and is found again from it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (runId) => {
      const jobId = jobIdOf(runId);
      expect(jobId).not.toMatch(/:|^\d+$/);
      expect(runIdOf(jobId)).toBe(runId);
    }),
  );
});

it('an execution that a schedule started stands for no run', () => {
  expect(runIdOf('repeat:threads.expire:1700000000000')).toBeNull();
  expect(runIdOf(undefined)).toBeNull();
});
