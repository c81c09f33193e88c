import { AppError } from '@signalbox/shared/errors';
import { expect, test } from 'vitest';
import { createOpenedSecrets } from './opened-secrets.ts';

test('an opened value is in nothing that is left behind, whatever it looks like', () => {
  const opened = createOpenedSecrets();
  opened.add('sunshine');
  expect(opened.mask({ say: 'the sunshine works', list: ['sunshine!'] })).toEqual({
    say: 'the [secret] works',
    list: ['[secret]!'],
  });
  const told = opened.maskError(new Error('failed', { cause: new Error('bad sunshine') }), 'act_1');
  expect(told).toMatchObject({ code: 'INTERNAL', data: { ref: 'act_1' } });
});

test('what holds no opened value stays the same', () => {
  const opened = createOpenedSecrets();
  opened.add('sunshine');
  opened.add('on');
  const error = new AppError('CONFLICT', { detail: 'no rain on it' });
  expect(opened.maskError(error, 'act_1')).toBe(error);
  expect(opened.mask('rain on it')).toBe('rain on it');
});
