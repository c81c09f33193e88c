import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMarkdown } from './passages.ts';

const lines = (...text: string[]): string => text.join('\n');

describe('splitMarkdown', () => {
  it('makes one passage of each section, with all the headings above the section', () => {
    const text = lines(
      'Before.',
      '# Policy',
      'Rules.',
      '## Time windows',
      'Nights.',
      '### Nights',
      'Dark.',
      '## Roles ##',
      'Four.',
    );
    expect(splitMarkdown(text)).toEqual([
      { heading: '', content: 'Before.' },
      { heading: 'Policy', content: 'Rules.' },
      { heading: 'Policy › Time windows', content: 'Nights.' },
      { heading: 'Policy › Time windows › Nights', content: 'Dark.' },
      { heading: 'Policy › Roles', content: 'Four.' },
    ]);
  });

  it('turns a Markdown table into a list, but leaves vertical bars in code unchanged', () => {
    const table = lines(
      '| you | what happens |',
      '| --- | :--- |',
      '| `stop shop` | its program ends |',
      '| | and more |',
    );
    expect(splitMarkdown(table)).toEqual([
      { heading: '', content: 'you · what happens:\n\n- `stop shop`: its program ends\n- and more' },
    ]);
    const code = lines('```', '| a | b |', '| --- | --- |', '```');
    expect(splitMarkdown(code)).toEqual([{ heading: '', content: code }]);
  });

  it('makes no passage of an empty section, and names its heading above the subsection', () => {
    expect(splitMarkdown(lines('# Empty', '', '### Deep', 'Words.'))).toEqual([
      { heading: 'Empty › Deep', content: 'Words.' },
    ]);
    expect(splitMarkdown('')).toEqual([]);
  });

  it('does not take a number sign inside code for a heading', () => {
    const text = lines(
      '# Run it',
      '````sh',
      '# not a heading',
      '',
      '```',
      '# nor this',
      '````',
      '~~~',
      '# nor that',
      '~~~',
    );
    expect(splitMarkdown(text).map((passage) => passage.heading)).toEqual(['Run it']);
  });

  it('skips front matter, and accepts Windows line ends', () => {
    expect(splitMarkdown('\uFEFF---\r\ntitle: x\r\n---\r\n# One\r\nTwo.\r\n')).toEqual([
      { heading: 'One', content: 'Two.' },
    ]);
  });

  it('keeps a paragraph whole if it fits into a passage', () => {
    const paragraph = 'word '.repeat(180).trim();
    const passages = splitMarkdown(lines('# Long', paragraph, '', paragraph, '', paragraph));
    expect(passages.map((passage) => passage.content)).toEqual([`${paragraph}\n\n${paragraph}`, paragraph]);
  });

  it('makes passages of at most 2,000 characters without losing a word', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.constantFrom('# A', '## B c', '```', '~~~~', '', '    ', 'x'.repeat(4_500), 'many words '.repeat(400)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const text = parts.join('\n').replace(/^---/, 'x');
        const passages = splitMarkdown(text);
        for (const { content } of passages) {
          expect(content.length).toBeLessThanOrEqual(2_000);
          expect(content.trim()).not.toBe('');
        }
        const letters = (value: string): string => value.replace(/[\s#]/g, '');
        const kept = letters(passages.map(({ content }) => content).join(''));
        const headings = text.split(/\r?\n/).filter((line) => /^ {0,3}#{1,6}[ \t]/.test(line));
        expect(kept.length).toBeGreaterThanOrEqual(letters(text).length - letters(headings.join('')).length);
      }),
      { numRuns: 200 },
    );
  });
});
