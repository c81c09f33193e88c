import { describe, expect, it } from 'vitest';
import { AppError } from '@signalbox/contracts/errors';
import { failureOf, isTransient, ModelFailure, reasonOfStatus, toModelError } from './failure.ts';

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

  it('keeps nothing of what was thrown: it may quote the key or the conversation', () => {
    const cause = (toModelError(thrown('AuthenticationError', { status: 401 })) as AppError).cause as ModelFailure;
    expect(cause.message).toBe('the model: the server refused the key (HTTP 401)');
    expect(cause.cause).toBeUndefined();
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

describe('a failure of a model', () => {
  const variables = { key: 'X_API_KEY', url: 'X_BASE_URL', model: 'X_MODEL' };

  it.each([
    ['unauthorized', 'p:m: the server refused the key: check X_API_KEY (HTTP 401)', 401],
    ['model-unknown', 'p:m: the server knows no such model or path: check X_MODEL and X_BASE_URL (HTTP 404)', 404],
    ['network', 'p:m: the server could not be reached: check X_BASE_URL and the network', null],
    ['rate-limited', 'p:m: the server limits our rate (HTTP 429)', 429],
  ] as const)('tells the operator which variable to check: %s', (code, message, status) => {
    expect(new ModelFailure(code, { model: 'p:m', variables, status }).message).toBe(message);
  });

  it.each([
    [429, [], 'rate-limited'],
    [429, ['insufficient_quota'], 'no-credit'],
    [402, [], 'no-credit'],
    [400, ['billing_error'], 'no-credit'],
    [401, ['authentication_error'], 'unauthorized'],
    [400, ['API_KEY_INVALID'], 'unauthorized'],
    [403, ['model_not_found'], 'model-unknown'],
    [404, ['DeploymentNotFound'], 'model-unknown'],
    [408, [], 'timeout'],
    [504, [], 'timeout'],
    [529, ['overloaded_error'], 'server-error'],
    [400, ['invalid_request_error'], 'refused'],
    [200, [], null],
  ])('is read off the status %s and the codes %j', (status, codes, reason) => {
    expect(reasonOfStatus(status, codes)).toBe(reason);
  });

  it.each(['timeout', 'network', 'cut', 'rate-limited', 'server-error'] as const)(
    'is worth another try: %s',
    (reason) => expect(isTransient(reason)).toBe(true),
  );

  it.each(['no-credit', 'unauthorized', 'model-unknown', 'refused'] as const)(
    'is not worth another try: %s',
    (reason) => expect(isTransient(reason)).toBe(false),
  );

  it('is found inside what a model throws', () => {
    const failure = new ModelFailure('timeout');
    expect(failureOf(new AppError('MODEL_UNAVAILABLE', {}, failure))).toBe(failure);
    expect(failureOf(failure)).toBe(failure);
    expect(failureOf(new AppError('MODEL_GARBAGE', {}))).toBeNull();
  });
});
