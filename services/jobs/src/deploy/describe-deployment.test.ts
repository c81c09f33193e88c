import { expect, test } from 'vitest';
import { describeProgress, describeResult } from './describe-deployment.ts';

const RESULT = {
  deploymentId: 'act_1',
  project: 'shop',
  environment: 'staging',
  kind: 'deploy',
  state: 'succeeded',
  release: '1.1-abc',
  serving: '1.1-abc',
  replaced: '1.0-def',
  url: 'http://127.0.0.1:20000/',
  seconds: 12.4,
  failure: null,
} as const;

test('the receipt of a deployment names the release, its address, the duration and how to undo it', () => {
  expect(describeResult(RESULT)).toBe(
    '✅ Deployed **shop** in staging: 1.1-abc serves at http://127.0.0.1:20000/, after 12 s. To undo it: “roll back shop in staging” (1.0-def served before).',
  );
  expect(describeResult({ ...RESULT, replaced: null })).not.toContain('undo');
});

test('the report of a failed deployment names the reason and the release that still runs, and quotes the last output lines', () => {
  const failure = {
    state: 'building' as const,
    code: 'BUILD_FAILED',
    sentence: 'The build failed.',
    lines: ['a', '```b', 'a', '```b'],
  };
  expect(describeResult({ ...RESULT, state: 'failed', serving: '1.0-def', failure })).toBe(
    "❌ **shop** in staging: 1.1-abc failed while building. The build failed. 1.0-def still serves.\n```\na (2 ×)\n'''b (2 ×)\n```",
  );
  expect(describeResult({ ...RESULT, state: 'rolled_back', serving: null, failure })).toContain(
    'Traffic was switched back. Nothing serves there.',
  );
});

test('the report of a failed build quotes the cause even when a long stack trace follows it', () => {
  const stack = Array.from({ length: 20 }, (_, n) => `    at step${n} (parse.js:${n}:1)`);
  const lines = ['main.js (17:62): Expression expected', '', '17: const x = ;', '', ...stack];
  const failure = { state: 'building' as const, code: 'BUILD_FAILED', sentence: 'The build failed.', lines };
  const said = describeResult({ ...RESULT, state: 'failed', failure });
  expect(said).toMatch(/```\nmain\.js \(17:62\): Expression expected\n17: const x = ;\n {4}at step0 .*\n```$/);
});

test('the receipt of a deployment says so when it is unknown which release receives traffic', () => {
  expect(describeResult({ ...RESULT, state: 'unknown', serving: '1.0-def' })).toMatch(
    /I do not know whether 1\.1-abc serves/,
  );
});

test('the progress message of a deployment has a bar, the current step and the elapsed time', () => {
  const row = {
    project: 'shop',
    environment: 'staging',
    kind: 'deploy',
    ref: 'v1',
    release: null,
    state: 'building',
  } as const;
  expect(describeProgress(row, 4_000)).toBe('⏳ Deploying **shop** v1 in staging\n▰▰▱▱▱▱▱ building · 4 s');
  expect(describeProgress({ ...row, state: 'failing' }, 4_000)).toBe(
    '⏳ Deploying **shop** v1 in staging\nrolling back · 4 s',
  );
});
