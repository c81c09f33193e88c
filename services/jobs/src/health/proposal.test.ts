import { expect, it } from 'vitest';
import { createEmptyMeasurements } from './probe-service.ts';
import { judgeHealth } from './verdict.ts';
import { proposeAction, type DiagnosisContext } from './proposal.ts';

const NOTHING = createEmptyMeasurements(0);
const AROUND: DiagnosisContext = { previous: null, servingForMs: 60_000, isMoving: false, errorKinds: 0 };
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
