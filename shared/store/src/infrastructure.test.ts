import { AppError } from '@signalbox/contracts/errors';
import { expect, it } from 'vitest';
import { isInfrastructureError } from './infrastructure.ts';

const coded = (code: string): Error => Object.assign(new Error('x'), { code });

it('a failure of Postgres or Redis is recognized even as a nested cause of another error', () => {
  for (const error of [
    coded('57P01'),
    coded('25006'),
    coded('ECONNREFUSED'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client was closed and is not queryable'),
    new Error('Connection is closed.'),
    Object.assign(new Error('READONLY You can not write'), { name: 'ReplyError' }),
    new AppError('TOOL_FAILED', { tool: 't', ref: 'r' }, new Error('y', { cause: coded('ECONNRESET') })),
    new AggregateError([new Error('z'), coded('EPIPE')]),
  ])
    expect([error.message, isInfrastructureError(error)]).toEqual([error.message, true]);
});

it('a programming error is not classified as a server failure, and a cycle of causes does not hang', () => {
  const circle = new Error('circle');
  circle.cause = circle;
  for (const error of [new TypeError('poison'), coded('23505'), circle, 'text', null])
    expect(isInfrastructureError(error)).toBe(false);
});
