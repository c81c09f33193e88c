import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toJobId, toRunId } from './names.ts';

it('every run id can be turned into a job id that BullMQ accepts, and back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (runId) => {
      const jobId = toJobId(runId);
      expect(jobId).not.toMatch(/:|^\d+$/);
      expect(toRunId(jobId)).toBe(runId);
    }),
  );
});

it('a job id for a scheduled execution yields no run id', () => {
  expect(toRunId('repeat:threads.expire:1700000000000')).toBeNull();
  expect(toRunId(undefined)).toBeNull();
});
