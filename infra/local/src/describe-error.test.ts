import { expect, test } from 'vitest';
import { describeError } from './describe-error.ts';
import { SetupError } from './setup-error.ts';

const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: open`), { code, path: '/data/signalbox/lock.7' });

test('the error for a folder without write permission names the folder, the reason and the remedy, without a stack', () => {
  expect(describeError(failure('EROFS'))).toBe(
    '/data/signalbox cannot be written: its file system is read-only.\nMake it writable, or set SIGNALBOX_DATA_DIR to a folder that is.',
  );
  expect(describeError(failure('ENOSPC'))).toMatch(/its disk is full\.\nMake room there/);
});

test('a SetupError is printed as its message alone, any other error with its stack', () => {
  expect(describeError(new SetupError('It is so.', { remedy: 'Do that.' }))).toBe('It is so.\nDo that.');
  expect(describeError(new TypeError('x is not a function'))).toMatch(/^TypeError[^]*\n +at /);
});
