import { expect, test } from 'vitest';
import { listFailureErrors } from './undo.ts';

const failure = {
  state: 'health_checking' as const,
  code: 'INSTANCE_UNHEALTHY',
  sentence: 'It did not answer 200 within 9 s.',
  lines: ['up', 'Error: no kettle 1', 'Error: no kettle 2', 'hello'],
};

test('a failed deployment records its reason as one error, and equal error lines as one error with a count', () => {
  expect(listFailureErrors({ failure, release: 'r1' }, false)).toEqual([
    expect.objectContaining({ source: 'deploy', sample: failure.sentence, count: 1, release: 'r1' }),
    expect.objectContaining({ source: 'deploy', sample: 'Error: no kettle 2', count: 2 }),
  ]);
});

test('a deployment that served before it failed records only its reason as an error, and a successful one records none', () => {
  expect(listFailureErrors({ failure, release: 'r1' }, true)).toHaveLength(1);
  expect(listFailureErrors({ failure: null, release: 'r1' }, false)).toEqual([]);
});
