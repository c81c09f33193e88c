import { expect, test } from 'vitest';
import { listFailureErrors } from './undo.ts';

const failure = {
  state: 'health_checking' as const,
  code: 'INSTANCE_UNHEALTHY',
  sentence: 'It did not answer 200 within 9 s.',
  lines: ['up', 'Error: no kettle 1', 'Error: no kettle 2', 'hello'],
};

test('a failed deployment counts its reason, and equal error lines at its end once', () => {
  expect(listFailureErrors({ failure, release: 'r1' }, false)).toEqual([
    expect.objectContaining({ source: 'deploy', sample: failure.sentence, count: 1, release: 'r1' }),
    expect.objectContaining({ source: 'deploy', sample: 'Error: no kettle 2', count: 2 }),
  ]);
});

test('error lines of a release that served are counted with the log, and a deployment that did not fail has no errors', () => {
  expect(listFailureErrors({ failure, release: 'r1' }, true)).toHaveLength(1);
  expect(listFailureErrors({ failure: null, release: 'r1' }, false)).toEqual([]);
});
