import { expect, test } from 'vitest';
import { acceptsPictures } from './pictures.ts';

test.each([
  ['openai:gpt-4.1-mini', true],
  ['openai:gpt-5', true],
  ['openai:gpt-3.5-turbo', false],
  ['anthropic:claude-sonnet-5', true],
  ['anthropic:claude-2.1', false],
  ['google:gemini-3.8-flash', true],
  ['ollama:qwen3', false],
  ['ollama:qwen3-vl:8b', true],
  ['openai_compatible:gpt-4.1', false],
  ['azure_openai:chat', false],
])('the model %s accepts pictures by default (true or false: %s)', (model, expected) => {
  expect(acceptsPictures(model)).toBe(expected);
});

test.each([
  ['openai_compatible:Qwen/VL-7B', true],
  ['openai_compatible:qwen/vl', true],
  ['openai_compatible:qwen/text', false],
  ['azure_openai:chat', true],
  ['azure_openai:chat-2', false],
  ['openai:gpt-5', false],
])('a configured list of models that accept pictures replaces the defaults: %s', (model, expected) => {
  expect(acceptsPictures(model, 'openai_compatible:qwen/vl*, azure_openai:chat')).toBe(expected);
});

test('a star in a pattern of model names matches any number of characters, also none', () => {
  expect(acceptsPictures('a:bc', 'a:*b*c*')).toBe(true);
  expect(acceptsPictures('a:aba', 'a:ab*ba')).toBe(false);
  expect(acceptsPictures('anything', '*')).toBe(true);
  expect(acceptsPictures('anything', '')).toBe(false);
});
