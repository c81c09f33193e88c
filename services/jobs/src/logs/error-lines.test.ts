import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readErrorMessage, getFingerprint, groupErrors } from './error-lines.ts';

const line = (text: string, at: string | null = null) => ({ at, stream: 'err' as const, line: text });

describe('readErrorMessage', () => {
  it.each([
    ['Error: connect ECONNREFUSED 127.0.0.1:5432', true],
    ['2026-01-01T10:00:00Z ERROR checkout failed', true],
    ['[warn] cache miss failed over', false],
    ['INFO retry after failure', false],
    ['{"level":50,"msg":"payment declined"}', true],
    ['{"level":30,"msg":"request failed, tried again"}', false],
    ['{"level":"error","err":{"message":"no such table"}}', true],
    ['    at handle (/app/server.js:10:3)', false],
    ['finished with 0 errors', false],
    ['no failures so far', false],
    ['{"error":null} sent', false],
    ['TypeError: x is not a function', true],
    ['Traceback (most recent call last):', true],
    ['listening on 3000', false],
    ["ERROR caught new TypeError('no till')", true],
  ])('decides whether “%s” is an error line: %s', (text, expected) => {
    expect(readErrorMessage(text) !== null).toBe(expected);
  });

  it('reads the message from a log line in JSON', () => {
    expect(readErrorMessage('{"level":50,"time":1,"msg":"payment declined","err":{"message":"card 4711"}}')).toBe(
      'payment declined: card 4711',
    );
  });
});

describe('the output of a program that ends with an uncaught error is read as one error', () => {
  it.each([
    ['an event that nobody listens to', `new (require('events'))().emit('error', new Error('the till is gone'))`],
    ['one of a server', `require('net').createServer().emit('error', new Error('the till is gone'))`],
    ['a code that other lines repeat', `throw Object.assign(new Error('the till is gone'), { code: 'ECONNREFUSED' })`],
    ['a throw', `\n  throw new Error('the till is gone');`],
    ['a promise', `Promise.reject(new Error('the till is gone'))`],
  ])('%s', (_, program) => {
    const { stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', timeout: 10_000 });
    const said = stderr.split('\n').flatMap((text) => readErrorMessage(text) ?? []);
    expect(said).toEqual(['Error: the till is gone']);
  });

  it('also from Python, whose stack traces contain source lines', () => {
    const lines = ['  File "/app/main.py", line 3, in pay', '    raise ValueError("no till")', 'ValueError: no till'];
    expect(lines.flatMap((text) => readErrorMessage(text) ?? [])).toEqual(['ValueError: no till']);
  });
});

describe('the fingerprints of two error messages', () => {
  it.each([
    ['order 17 failed after 20 ms', 'order 9 failed after 1.5 ms'],
    ['Error: no user "ada"', 'Error: no user "ben smith"'],
    ['failed: /orders/8812/items?page=2', 'failed: /orders/9/items'],
    ['connect ECONNREFUSED 10.0.0.1:5432', 'connect ECONNREFUSED 10.0.9.77:6000'],
    ['request 7f9c24e8-3b12-4f6b-9a51-0d2f8c1b7a10 failed', 'request 11111111-2222-3333-4444-555555555555 failed'],
    ['2026-01-01T10:00:00.123Z ERROR disk full', '2027-12-31 23:59:59 ERROR disk full'],
    ['job a81f00c2 failed', 'job b77d1e93 failed'],
  ])('are equal for: %s | %s', (one, other) => {
    expect(getFingerprint(one)).toBe(getFingerprint(other));
  });

  it.each([
    ['Error: disk full', 'Error: out of memory'],
    ['failed: /orders/1', 'failed: /users/1'],
    ['TypeError: x', 'RangeError: x'],
  ])('differ for: %s | %s', (one, other) => {
    expect(getFingerprint(one)).not.toBe(getFingerprint(other));
  });
});

it.each(['"“', 'a@a ““', '1.1', 'a-1@', '/?', "' "])(
  'the fingerprint of a long text of repeated %j is computed in linear time',
  (unit) => {
    const cpuMs = (length: number): number => {
      const text = unit.repeat(length / unit.length);
      const taken = Array.from({ length: 7 }, () => {
        const before = process.cpuUsage();
        getFingerprint(text);
        return process.cpuUsage(before).user / 1_000;
      });
      return Math.min(...taken);
    };
    cpuMs(4_000);
    // A millisecond is a measure that a busy machine does not reach by itself.
    expect(cpuMs(64_000)).toBeLessThan(4 * Math.max(cpuMs(4_000), 1));
  },
);

describe('groupErrors', () => {
  it('counts equal errors together, keeps the newest of them, and lists the most frequent group first', () => {
    const groups = groupErrors([
      line('Error: order 1 failed', '2026-01-01T10:00:00.000Z'),
      line('listening'),
      line('Error: disk full', '2026-01-01T10:00:01.000Z'),
      line('Error: order 2 failed', '2026-01-01T10:00:02.000Z'),
    ]);
    expect(groups.map(({ sample, count, at }) => ({ sample, count, at }))).toEqual([
      { sample: 'Error: order 2 failed', count: 2, at: '2026-01-01T10:00:02.000Z' },
      { sample: 'Error: disk full', count: 1, at: '2026-01-01T10:00:01.000Z' },
    ]);
  });

  it('returns at most 101 groups for any input, and counts every error', () => {
    const words = Array.from(
      { length: 500 },
      (_, n) =>
        `Error: ${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10) % 10]}${'uvwxyz'[Math.floor(n / 100)]}`,
    );
    const groups = groupErrors(words.map((text) => line(text)));
    expect(groups.length).toBeLessThanOrEqual(101);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(500);
  });
});
