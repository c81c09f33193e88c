import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { isTransient, type ModelFailure, toModelError } from './failure.ts';

const thrown = (name: string, fields: object = {}): Error =>
  Object.assign(new Error('the words of the server'), { name }, fields);

describe('naming what a model threw', () => {
  it.each([
    ['a refused key', thrown('AuthenticationError', { status: 401 }), 'unauthorized'],
    ['a forbidden model', thrown('PermissionDeniedError', { status: 403 }), 'unauthorized'],
    ['an unknown model', thrown('NotFoundError', { status: 404 }), 'model-unknown'],
    ['too many requests', thrown('RateLimitError', { status: 429 }), 'rate-limited'],
    ['a refused request', thrown('BadRequestError', { status: 400 }), 'refused'],
    ['a broken server', thrown('InternalServerError', { status: 503 }), 'server-error'],
    ['a gateway that gave up', thrown('APIError', { status: 504 }), 'timeout'],
    ['a timeout', thrown('TimeoutError'), 'timeout'],
    ['a refused connection', thrown('Error', { code: 'ECONNREFUSED' }), 'network'],
    ['a connection error without a code', thrown('APIConnectionError'), 'network'],
    [
      'a connection error behind fetch',
      new TypeError('fetch failed', { cause: thrown('Error', { code: 'ENOTFOUND' }) }),
      'network',
    ],
    ['a socket timeout', thrown('APIConnectionError', { cause: thrown('Error', { code: 'ETIMEDOUT' }) }), 'timeout'],
    [
      'a connection error that only its class names',
      new (class APIConnectionError extends Error {})('Connection error.'),
      'network',
    ],
  ])('calls %s MODEL_UNAVAILABLE', (_, error, reason) => {
    const named = toModelError(error);
    expect(named).toMatchObject({ code: 'MODEL_UNAVAILABLE', remedy: 'tell-user', cause: { code: reason } });
    expect(named).toBeInstanceOf(AppError);
  });

  it('tells the operator which variable to check, and nothing that the server said', () => {
    const cause = (toModelError(thrown('AuthenticationError', { status: 401 })) as AppError).cause as ModelFailure;
    expect(cause.message).toBe('the model server refused the key: check OPENAI_API_KEY (HTTP 401)');
    expect(cause.cause).toBeUndefined();
  });

  it('keeps the cause of everything else', () => {
    const error = thrown('RateLimitError', { status: 429 });
    expect(((toModelError(error) as AppError).cause as ModelFailure).cause).toBe(error);
  });

  it('calls an answer that does not parse MODEL_GARBAGE', () => {
    expect(toModelError(thrown('OutputParserException'))).toMatchObject({ code: 'MODEL_GARBAGE' });
  });

  it.each([
    ['an error of the catalog', new AppError('LANE_LOST', { userKey: '1' })],
    ['an abort', thrown('AbortError')],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['what is no error', 'text'],
    ['nothing', undefined],
    ['an object without a prototype', Object.create(null) as object],
  ])('leaves %s as it is', (_, error) => {
    expect(toModelError(error)).toBe(error);
  });
});

describe('trying again', () => {
  it.each([
    ['a 429 without a waiting time', thrown('RateLimitError', { status: 429 })],
    ['a broken server', thrown('Error', { status: 500 })],
    ['a timeout', thrown('TimeoutError')],
    ['a lost connection', thrown('Error', { code: 'ECONNRESET' })],
  ])('is worth it after %s', (_, error) => expect(isTransient(error)).toBe(true));

  it.each([
    ['a refused key', thrown('Error', { status: 401 })],
    ['a refused request', thrown('Error', { status: 400 })],
    ['an account without credit', thrown('RateLimitError', { status: 429, code: 'insufficient_quota' })],
    ['an abort', thrown('AbortError')],
    ['a mistake of ours', new TypeError('x')],
    ['nothing', undefined],
  ])('is not after %s', (_, error) => expect(isTransient(error)).toBe(false));
});
