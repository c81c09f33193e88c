import { describe, expect, it } from 'vitest';
import { cleanOutput, shortenOutput, explainLack, hasNoTest } from './check-output.ts';

describe('the output of a check', () => {
  it('shows the five failed tests of 1,618, with what was expected, and how many lines were left out', () => {
    const failed = new Set([40, 300, 301, 900, 1_602]);
    const lines = Array.from({ length: 1_618 }, (_, at) =>
      failed.has(at + 1)
        ? `not ok ${at + 1} port ${at + 1}\n  ---\n    operator: equal\n    expected: 'a'\n    actual:   'b${at + 1}'\n  ...`
        : `ok ${at + 1} port`,
    );
    const shown = shortenOutput([...lines, '1..1618', '# tests 1618', '# fail  5'].join('\n'), 5_500);
    for (const at of failed) expect(shown).toContain(`actual:   'b${at}'`);
    expect(shown).toMatch(/^\[38 lines left out\]\nok 39 port\nnot ok 40/);
    expect(shown).toMatch(/# fail {2}5$/);
    expect(shown.length).toBeLessThan(6_000);
  });

  it('shows all lines by which npm says why an install failed, in front of a long log', () => {
    const cause = [
      'npm error code SELF_SIGNED_CERT_IN_CHAIN',
      'npm error errno SELF_SIGNED',
      'npm error request failed',
    ];
    const shown = shortenOutput(
      [...cause, ...Array(3_000).fill('npm http fetch GET 200'), 'the end'].join('\n'),
      2_000,
    );
    for (const line of cause) expect(shown).toContain(line);
    expect(shown).toMatch(/the end$/);
  });

  it('has no colors, and of a progress bar the last state', () => {
    expect(cleanOutput('\u001B[31mred\u001B[39m\r\n10 %\r100 %\n')).toBe('red\n100 %\n');
  });

  it.each([
    ['unittest', '\n-----\nRan 0 tests in 0.000s\n\nOK\n'],
    ['unittest of Python 3.12', '\n-----\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n'],
    ['pytest', 'collected 0 items\n\nno tests ran in 0.01s\n'],
    ['node --test', 'ℹ tests 0\nℹ pass 0\n'],
    ['npm', 'Error: no test specified\n'],
    ['go', '?   \texample.com/a\t[no test files]\n'],
    ['cargo', 'running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n'],
    ['jest', 'No tests found, exiting with code 0\n'],
    ['vitest', 'No test files found, exiting with code 0\n'],
    ['mocha', '\n  0 passing (1ms)\n'],
  ])('in which %s found no test is no passed test', (_, output) => {
    expect(hasNoTest(output)).toBe(true);
  });

  it.each([
    ['unittest', 'Ran 3 tests in 0.1s\n\nOK\n'],
    ['pytest beside an empty folder', 'no tests ran in 0.01s\n302 passed in 3.41s\n'],
    ['go', '?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.1s\n'],
    ['cargo', 'running 0 tests\n\nrunning 2 tests\n'],
    ['TAP', '# tests 0\nok 1 it works\n'],
    ['a script without words', ''],
  ])('in which %s ran a test is one', (_, output) => {
    expect(hasNoTest(output)).toBe(false);
  });

  it('names the tool that the sandbox lacks, and the variable of a folder that is full', () => {
    expect(explainLack('/bin/sh: 1: uv: not found\n', 127)).toContain('lacks uv');
    expect(explainLack('/usr/bin/python3: No module named pytest\n', 1)).toContain('lacks the Python module pytest');
    expect(explainLack('npm error nospc ENOSPC: no space left on device, write\n', 228)).toContain('SANDBOX_TMP_MB');
    expect(explainLack('1 test failed\n', 1)).toBeNull();
  });

  it('is read in a time that grows with its length', () => {
    const long = `${'x'.repeat(300_000)}\n${'a '.repeat(150_000)}\n${'1'.repeat(300_000)}`;
    const startedAt = performance.now();
    hasNoTest(long);
    explainLack(long, 127);
    shortenOutput(cleanOutput(long), 5_500);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
