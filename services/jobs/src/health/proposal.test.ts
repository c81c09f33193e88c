import { expect, it } from 'vitest';
import { createEmptyMeasurements } from './probe-service.ts';
import { judgeHealth } from './verdict.ts';
import { proposeAction, type DiagnosisContext } from './proposal.ts';

const NOTHING = createEmptyMeasurements(0);
const AROUND: DiagnosisContext = {
  previous: null,
  isPreviousHealthy: true,
  servingForMs: 60_000,
  isMoving: false,
  errorKinds: 0,
};
const SERVING = { ...NOTHING, release: '1.0-3f2a9c1', proxy: { status: 200, latencyMs: 20, error: null } };

it.each([
  ['nothing is deployed', NOTHING, AROUND],
  ['all is well', SERVING, AROUND],
  ['its log has errors', SERVING, { ...AROUND, errorKinds: 2 }],
  ['nothing served before', { ...SERVING, proxy: { status: 500, latencyMs: 20, error: null } }, AROUND],
])('the proposed action does not repeat the health verdict when %s', (_, found, around) => {
  const verdict = judgeHealth(found);
  expect(proposeAction(found, verdict, around).because ?? '').not.toContain(verdict.because);
});

it('a rollback is proposed only to a release that was healthy, and the answer says when none was', () => {
  const found = { ...SERVING, proxy: { status: 500, latencyMs: 20, error: null } };
  const around = { ...AROUND, previous: { deploymentId: 'act_1', release: '0.9', usualLatencyMs: null } };
  expect(proposeAction(found, judgeHealth(found), around).action).toBe('rollback');
  expect(proposeAction(found, judgeHealth(found), { ...around, isPreviousHealthy: false })).toEqual({
    action: 'look-at-logs',
    because: expect.stringContaining('was not healthy either'),
  });
});
