import { expect, test } from 'vitest';
import { canSee } from './pictures.ts';

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
])('what is known of %s is that it sees: %s', (model, sees) => {
  expect(canSee(model)).toBe(sees);
});

test.each([
  ['openai_compatible:Qwen/VL-7B', true],
  ['openai_compatible:qwen/vl', true],
  ['openai_compatible:qwen/text', false],
  ['azure_openai:chat', true],
  ['azure_openai:chat-2', false],
  ['openai:gpt-5', false],
])('a list of names is all that counts where there is one: %s', (model, sees) => {
  expect(canSee(model, 'openai_compatible:qwen/vl*, azure_openai:chat')).toBe(sees);
});

test('a star stands for anything, nothing included, and no piece is used twice', () => {
  expect(canSee('a:bc', 'a:*b*c*')).toBe(true);
  expect(canSee('a:aba', 'a:ab*ba')).toBe(false);
  expect(canSee('anything', '*')).toBe(true);
  expect(canSee('anything', '')).toBe(false);
});
