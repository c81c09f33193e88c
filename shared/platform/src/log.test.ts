import { expect, test } from 'vitest';
import { AppError } from '@signalbox/contracts/errors';
import { createLog, type Log } from './log.ts';
import { makeCanaries } from '@signalbox/safety/redact/secrets.fixture';

function recordLines(level = 'debug'): { readonly log: Log; readonly lines: readonly string[] } {
  const lines: string[] = [];
  return { log: createLog('test', level, { write: (line: string) => void lines.push(line) }), lines };
}

const canaries = makeCanaries();
const KEY = canaries[0]?.secret ?? '';

test('secrets, addresses and phone numbers are removed from every string of a log line', () => {
  const { log, lines } = recordLines();
  for (const { text } of canaries)
    log
      .child({ about: text })
      .warn('tried', { text, list: [{ deep: text }], error: new Error(text, { cause: new Error(text) }) });
  log.info('called', { who: 'ada@example.com, +49 170 1234567', address: new URL(`https://u:${KEY}@example.com/`) });
  const written = lines.join('');
  expect(canaries.filter(({ secret }) => written.includes(JSON.stringify(secret).slice(1, -1)))).toEqual([]);
  expect(written).not.toMatch(/ada@example|170 1234567/);
  expect(lines).toHaveLength(canaries.length + 1);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('log fields without secrets are written unchanged', () => {
  const { log, lines } = recordLines();
  const error = new AppError('NOT_FOUND', { kind: 'project', name: 'shop', known: 'blog' }, new Error('gone'));
  log
    .child({ traceId: 'trc_1' })
    .error('failed', { turnId: 'turn_1', n: 7, none: null, ok: false, list: ['a'], error });
  const line = JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
  expect(line).toMatchObject({
    level: 'error',
    service: 'test',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    message: 'failed',
    traceId: 'trc_1',
    turnId: 'turn_1',
    n: 7,
    none: null,
    ok: false,
    list: ['a'],
    error: {
      name: 'AppError',
      code: 'NOT_FOUND',
      message: 'I know no project named shop. Known: blog.',
      cause: { message: 'gone' },
    },
  });
});

test('the fields of a log line are not evaluated when its level is not logged', () => {
  const { log, lines } = recordLines('warn');
  const trap = {
    get field(): string {
      throw new Error('read');
    },
  };
  expect(() => log.debug('quiet', trap)).not.toThrow();
  expect(lines).toEqual([]);
});

test('a line has the trace id in the digits that the spans have, also in the log of a request', () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
  const digits = '019a0b1c2d3e4f5a6b7c8d9e0f1a2b3c';
  log.info('one', { traceId: `trace_${digits}` });
  log.child({ traceId: `trace_${digits}` }).info('two');
  log.info('of an older release', { traceId: 'trc_01' });
  const ids = lines.map((line) => (JSON.parse(line) as { readonly trace_id?: string }).trace_id);
  expect(ids).toEqual([digits, digits, undefined]);
});
