import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startModelServer, type ModelAnswer, type ModelServer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

// What a model's server refuses: the person reads what is wrong and who can mend it, and never a word of the server.

let model: ModelServer;
let stack: Stack;
let ada: Person;
let answer: ModelAnswer;
let round = 0;

beforeAll(async () => {
  model = await startModelServer(() => answer);
  stack = await openStack({
    env: { MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url },
  });
});
beforeEach(async () => {
  round += 1;
  ada = await stack.person(1000 + round, 'developer');
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

const SECRET = 'words of the server that nobody reads';
const refused = (status: number, error: object | string, type = 'application/json'): ModelAnswer => ({
  status,
  raw: { body: typeof error === 'string' ? error : JSON.stringify({ error }), type },
});
const COMPLETION = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: SECRET }, finish_reason: 'stop' }],
});
const inStream = (error: object): ModelAnswer => ({ raw: { body: `data: ${JSON.stringify({ error })}\n\n` } });

describe('a model that refuses', () => {
  it.each<[string, ModelAnswer, RegExp]>([
    [
      'a conversation that is too long',
      refused(400, { code: 'context_length_exceeded', message: `${SECRET}: maximum context length is 8192 tokens` }),
      /too long.*\/new/,
    ],
    [
      'a prompt that is too long, in words alone',
      refused(400, { message: `${SECRET}: prompt is too long: 210000 tokens` }),
      /too long.*\/new/,
    ],
    ['a body that is too large', refused(413, '', 'text/plain'), /too long.*\/new/],
    [
      'a conversation that is too long, inside of the stream',
      inStream({ code: 'context_length_exceeded', message: SECRET }),
      /too long.*\/new/,
    ],
    [
      'a parameter',
      refused(400, { message: `Unrecognized request argument supplied: parallel_tool_calls ${SECRET}` }),
      /does not take our requests.*operator.*doctor/,
    ],
    ['the key', refused(401, { message: SECRET }), /refuses our key.*operator.*doctor/],
    ['the key, inside of the stream', inStream({ code: 401, message: SECRET }), /refuses our key.*operator.*doctor/],
    ['access', refused(403, { message: SECRET }), /refuses our key.*operator.*doctor/],
    ['to work without credit', refused(402, { message: SECRET }), /no credit.*operator.*doctor/],
    [
      'to work without quota',
      refused(429, { code: 'insufficient_quota', message: SECRET }),
      /no credit.*operator.*doctor/,
    ],
    [
      'a name that it does not know',
      refused(404, { message: `The model m does not exist ${SECRET}` }),
      /does not answer at its address.*operator.*doctor/,
    ],
    ['to stream', { raw: { body: COMPLETION, type: 'application/json' } }, /something else is there.*operator.*doctor/],
    [
      'through the page of a proxy',
      { raw: { body: `<html>${SECRET}</html>`, type: 'text/html' } },
      /something else is there.*operator.*doctor/,
    ],
    [
      'through the page of a proxy with a status',
      refused(403, `<html>${SECRET}</html>`, 'text/html'),
      /something else is there.*operator.*doctor/,
    ],
  ])('%s leads to an answer that names the person who can fix the problem', async (_, given, sentence) => {
    answer = given;
    const before = model.requests();
    const said = await ada.ask('hello there');
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(sentence);
    expect(said[0]).not.toMatch(/again in a moment/);
    expect(said[0]).not.toContain(SECRET);
    expect(model.requests() - before).toBeLessThanOrEqual(3); // an object twice, and nothing tried again
  });

  it('for a moment leads to the answer “say it again in a moment”', async () => {
    answer = refused(503, { message: SECRET });
    expect(await ada.ask('hello there')).toEqual([expect.stringContaining('again in a moment')]);
  });
});
