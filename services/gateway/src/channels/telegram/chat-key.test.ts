import { expect, it } from 'vitest';
import { linkToMessage } from './chat-key.ts';

it('only messages in supergroups and their topics get a t.me link', () => {
  expect(linkToMessage('telegram:-1001234567890', '42')).toBe('https://t.me/c/1234567890/42');
  expect(linkToMessage('telegram:-1001234567890/101', '42')).toBe('https://t.me/c/1234567890/42');
  expect(linkToMessage('telegram:-2001', '42')).toBeNull();
  expect(linkToMessage('telegram:1001', '42')).toBeNull();
});
