import { expect, test } from 'vitest';
import { newId } from '@signalbox/contracts/ids';
import { cutDraft, Draft, MAX_DRAFT_LENGTH, toDraftId } from './drafts.ts';

const line = (n: number): string => `line ${n} of a long answer`;
const lines = (count: number): string => Array.from({ length: count }, (_, n) => line(n)).join('\n');

test('a draft within the maximum length is shown whole', () => {
  const text = 'a'.repeat(MAX_DRAFT_LENGTH);
  expect(cutDraft(text)).toBe(text);
});

test('a draft over the maximum length is cut to its newest whole lines, below an ellipsis', () => {
  const text = lines(1_000);
  const shown = cutDraft(text);
  expect(shown.length).toBeLessThanOrEqual(MAX_DRAFT_LENGTH);
  const [first, , ...rest] = shown.split('\n');
  expect(first).toBe('…');
  expect(rest.at(-1)).toBe(line(999));
  expect(text.endsWith(`\n${rest.join('\n')}`)).toBe(true);
  expect(rest[0]).toMatch(/^line \d+ of/);
});

test('the start of a growing draft is cut rarely, and the draft stays at least half of the maximum length', () => {
  const tops = new Set<string>();
  for (let length = MAX_DRAFT_LENGTH + 1; length < 3 * MAX_DRAFT_LENGTH; length += 7) {
    const shown = cutDraft(lines(1_000).slice(0, length));
    expect(shown.length).toBeLessThanOrEqual(MAX_DRAFT_LENGTH);
    expect(shown.length).toBeGreaterThan(MAX_DRAFT_LENGTH / 2);
    tops.add(shown.slice(0, 40));
  }
  expect(tops.size).toBeLessThan(12);
});

test('a draft without blanks is not cut inside a character', () => {
  for (const before of ['', 'x']) {
    const shown = cutDraft(before + '😀'.repeat(MAX_DRAFT_LENGTH));
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(MAX_DRAFT_LENGTH);
  }
});

test('a draft that is cut inside a code block begins with a new code fence', () => {
  const code = lines(400);
  expect(cutDraft(`Here it is:\n\n\`\`\`ts\n${code}`)).toMatch(/^…\n\n```ts\nline/);
  expect(cutDraft(`Here it is:\n\n\`\`\`ts\n1\n\`\`\`\n\n${code}`)).toMatch(/^…\n\nline/);
  expect(cutDraft(`~~~~\n~~~\n${code}`)).toMatch(/^…\n\n~~~~\nline/);
  expect(cutDraft(`\`\`\`${'x'.repeat(100)}\n${code}`)).toMatch(/^…\n\nline/);
});

test('a turn always gets the same draft id, which Telegram accepts', () => {
  for (let n = 0; n < 1_000; n += 1) {
    const turnId = newId('turn');
    const draftId = toDraftId(turnId);
    expect(toDraftId(turnId)).toBe(draftId);
    expect(Draft.shape.draftId.safeParse(draftId).success).toBe(true);
  }
});
