import { describe, expect, it } from 'vitest';
import { fitSections, MAX_CONTEXT_BYTES, type PromptSection } from './bounds.ts';

const section = (name: string, lines: readonly string[], more = 0): PromptSection => ({
  name,
  heading: `About ${name}`,
  lines,
  more,
  elsewhere: '/more',
});
const many = (count: number, text: string): readonly string[] =>
  Array.from({ length: count }, (_, place) => `${text} ${place}`);

describe('the context in a prompt', () => {
  it('is complete and in order if it fits, and leaves out empty sections', () => {
    const given = [section('none', []), section('one', ['a', 'b']), section('two', [], 3)];
    const { text, sections } = fitSections('Now:', given);
    expect(text).toBe('Now:\n\nAbout one:\n- a\n- b\n\nAbout two:\n- and 3 more: /more');
    expect(sections).toEqual([
      { name: 'one', shown: 2, left: 0 },
      { name: 'two', shown: 0, left: 3 },
    ]);
  });

  it('omits the last lines of its last section first, and says how many are omitted', () => {
    const given = [section('one', many(3, 'first')), section('two', many(9, 'second'), 990)];
    const { text, sections } = fitSections('Now:', given, 190);
    expect(sections[0]).toEqual({ name: 'one', shown: 3, left: 0 });
    const shown = sections[1]?.shown ?? 0;
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(9);
    expect(text).toContain(`- second ${shown - 1}\n- and ${999 - shown} more: /more`);
    expect(text).not.toContain(`second ${shown}`);
  });

  it('omits every line after the first line that did not fit, even a shorter one', () => {
    const given = [section('one', ['x'.repeat(500), 'short']), section('two', ['short'])];
    expect(fitSections('Now:', given, 300).sections).toEqual([
      { name: 'one', shown: 0, left: 2 },
      { name: 'two', shown: 0, left: 1 },
    ]);
  });

  it.each(['a', 'ü', '語', '👩‍🚀'])('stays within its limit in bytes when its texts consist of “%s”', (char) => {
    for (const length of [1, 7, 40, 200])
      for (const count of [0, 1, 30, 400]) {
        const given = ['one', 'two', 'three'].map((name) => section(name, many(count, char.repeat(length)), 9_999_999));
        const { text } = fitSections('Now:', given);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_CONTEXT_BYTES);
      }
  });
});
