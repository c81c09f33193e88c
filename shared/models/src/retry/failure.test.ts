import { describe, expect, it } from 'vitest';
import { AppError } from '@signalbox/contracts/errors';
import { findModelFailure, isTransient, ModelFailure, classifyStatus, toModelError } from './failure.ts';

const thrown = (name: string, fields: object = {}): Error =>
  Object.assign(new Error('the words of the server'), { name }, fields);

describe('toModelError', () => {
  it.each([
    ['a refused key', thrown('AuthenticationError', { status: 401 }), 'unauthorized', 'MODEL_KEY_REFUSED'],
    ['a forbidden model', thrown('PermissionDeniedError', { status: 403 }), 'unauthorized', 'MODEL_KEY_REFUSED'],
    ['an unknown model', thrown('NotFoundError', { status: 404 }), 'model-unknown', 'MODEL_UNKNOWN'],
    ['too many requests', thrown('RateLimitError', { status: 429 }), 'rate-limited'],
    ['a refused request', thrown('BadRequestError', { status: 400 }), 'refused', 'MODEL_REQUEST_REFUSED'],
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
  ])('classifies %s by what a person can do about the error', (_, error, reason, code = 'MODEL_UNAVAILABLE') => {
    const named = toModelError(error);
    expect(named).toMatchObject({ code, remedy: 'tell-user', cause: { code: reason } });
    expect(named).toBeInstanceOf(AppError);
  });

  it('drops the original error, which may quote the API key or the conversation', () => {
    const cause = (toModelError(thrown('AuthenticationError', { status: 401 })) as AppError).cause as ModelFailure;
    expect(cause.message).toBe('the model: the server refused the key (HTTP 401)');
    expect(cause.cause).toBeUndefined();
  });

  it('turns an answer that does not parse into a MODEL_GARBAGE error', () => {
    expect(toModelError(thrown('OutputParserException'))).toMatchObject({ code: 'MODEL_GARBAGE' });
  });

  it.each([
    ['an error of the catalog', new AppError('LANE_LOST', { userKey: '1' })],
    ['an abort', thrown('AbortError')],
    ['a TypeError', new TypeError('x is not a function')],
    ['what is no error', 'text'],
    ['nothing', undefined],
    ['an object without a prototype', Object.create(null) as object],
  ])('returns %s unchanged', (_, error) => {
    expect(toModelError(error)).toBe(error);
  });
});

describe('a model failure', () => {
  const variables = { key: 'X_API_KEY', url: 'X_BASE_URL', model: 'X_MODEL' };

  it.each([
    ['unauthorized', 'p:m: the server refused the key: check X_API_KEY (HTTP 401)', 401],
    ['model-unknown', 'p:m: the server knows no such model or path: check X_MODEL and X_BASE_URL (HTTP 404)', 404],
    ['network', 'p:m: the server could not be reached: check X_BASE_URL and the network', null],
    ['rate-limited', 'p:m: the server limits our rate (HTTP 429)', 429],
  ] as const)('with the reason %s names the environment variable to check', (code, message, status) => {
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
    [400, ['context_length_exceeded'], 'too-long'],
    [413, ['request_too_large'], 'too-long'],
    [400, ['unknown_parameter'], 'refused'],
  ])('gets its reason from the HTTP status %s and the error codes %j', (status, codes, reason) => {
    expect(classifyStatus(status, codes)).toBe(reason);
  });

  it.each([
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'too-long'],
    [400, 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 'too-long'],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 'too-long'],
    [400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.", 'too-long'],
    [400, 'the request exceeds the available context size. try increasing the context size', 'too-long'],
    [422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.', 'too-long'],
    [400, 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 'too-long'],
    [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35000.', 'too-long'],
    [429, 'Rate limit reached on the maximum number of tokens per minute.', 'rate-limited'],
    [400, 'Unrecognized request argument supplied: parallel_tool_calls', 'refused'],
    [400, 'x/y is not a valid model ID', 'model-unknown'],
    [400, 'The model `m` does not exist', 'model-unknown'],
    [400, 'Insufficient Balance', 'no-credit'],
    [503, 'context limit of this node is being raised', 'server-error'],
  ])('gets its reason from the HTTP status %s and the message: %s', (status, words, reason) => {
    expect(classifyStatus(status, [], words)).toBe(reason);
  });

  it('shows the error codes of the server, but no text that may quote the conversation', () => {
    const codes = ['unknown_parameter', 'parallel_tool_calls', 'the words of a person'];
    expect(new ModelFailure('refused', { model: 'p:m', status: 400, codes }).message).toBe(
      'p:m: the server refused the request (HTTP 400, unknown_parameter, parallel_tool_calls)',
    );
  });

  it.each(['timeout', 'network', 'cut', 'rate-limited', 'server-error'] as const)(
    'is worth a retry when its reason is %s',
    (reason) => expect(isTransient(reason)).toBe(true),
  );

  it.each(['no-credit', 'unauthorized', 'model-unknown', 'not-chat', 'too-long', 'refused'] as const)(
    'is not worth a retry when its reason is %s',
    (reason) => expect(isTransient(reason)).toBe(false),
  );

  it('is found by findModelFailure when it is the cause of another error', () => {
    const failure = new ModelFailure('timeout');
    expect(findModelFailure(new AppError('MODEL_UNAVAILABLE', {}, failure))).toBe(failure);
    expect(findModelFailure(failure)).toBe(failure);
    expect(findModelFailure(new AppError('MODEL_GARBAGE', {}))).toBeNull();
  });
});
