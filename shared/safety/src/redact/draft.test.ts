import { describe, expect, it } from 'vitest';
import { redactDraft } from './draft.ts';

/** The redacted drafts while a text is written letter by letter. */
const listDrafts = (text: string): readonly string[] =>
  Array.from(text, (_, place) => redactDraft(text.slice(0, place + 1)));

describe('redactDraft', () => {
  it.each([
    ['4539 1488 0343 6467', 'with spaces'],
    ['4539-1488-0343-6467', 'with hyphens'],
    ['4539\u00a01488\u00a00343\u00a06467', 'with spaces that do not break'],
    ['3714 496353 98431', 'grouped as American Express'],
    ['4539148803436467', 'in one piece'],
    ['４５３９ １４８８ ０３４３ ６４６７', 'in full width'],
  ])('shows at most seven digits of the growing card number %s (%s)', (card) => {
    for (const text of listDrafts(`The card ${card} is blocked.`)) {
      const digits = /\p{Nd}[\p{Nd} \u00a0-]*/u.exec(text)?.[0].replace(/[^\p{Nd}]/gu, '') ?? '';
      expect(digits.length).toBeLessThanOrEqual(7);
    }
    expect(listDrafts(`The card ${card} is blocked.`).at(-1)).toBe('The card [secret] is blocked.');
  });

  it('never shows the identifying part of a bank account number while it is typed', () => {
    for (const text of listDrafts('Pay to DE89 3704 0044 0532 0130 00 today.')) expect(text).not.toMatch(/DE89 3/);
  });

  it.each([
    'It is 2026-11-25 now.',
    'Version 1.10.2 runs.',
    'Call 30 40 50 60 and wait.',
    'AB12 is a room, and B2 too.',
  ])('shows the harmless text “%s” whole once it is complete', (text) => {
    expect(listDrafts(text).at(-1)).toBe(text);
  });

  it('redacts long texts in under two seconds of processor time', () => {
    // Processor time, because the machine may be busy.
    const before = process.cpuUsage();
    for (const text of ['1 '.repeat(50_000), '4'.repeat(100_000), 'A1'.repeat(50_000)]) redactDraft(text);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
