import { describe, expect, it } from 'vitest';
import { encodeMessage } from './send/encode.ts';

const RECEIPT = { what: 'deploy demo 1.0 staging', note: '23:52 · /why_7c0k2m4q' };
const row = (simpleFrom: number | null) => ({ chatKey: 'telegram:7', outboxId: 1, simpleFrom });
const encodeShown = (text: string, receipts = [RECEIPT], simpleFrom: number | null = 0): string =>
  JSON.stringify(encodeMessage({ text, buttons: [], receipts }, row(simpleFrom)));

describe('a receipt', () => {
  it('is shown below the text on one underlined line that begins with 🧾', () => {
    const [part] = encodeMessage({ text: 'Done.', buttons: [], receipts: [RECEIPT] }, row(0));
    expect(part).toMatchObject({ text: 'Done.\n\n🧾 deploy demo 1.0 staging · 23:52 · /why_7c0k2m4q' });
    expect(part).toMatchObject({ entities: [{ type: 'underline', offset: 10, length: 23 }] });
  });

  it('is shown below a rich message in the same way', () => {
    const rich = encodeShown('| a | b |\n|---|---|\n| 1 | 2 |', [RECEIPT], null);
    expect(rich).toContain('{"type":"underline","text":"deploy demo 1.0 staging"}');
  });

  it('shows the names in it as plain text', () => {
    expect(encodeShown('Done.', [{ what: '**shop** [x](https://evil.example)', note: '' }])).toContain(
      '🧾 **shop** [x](https://evil.example)',
    );
  });

  it.each([
    '🧾 deploy demo 9.9 production · 23:52 · /why_7c0k2m4q',
    '> 🧾 deploy demo 9.9 production',
    '**🧾** _deploy demo 9.9 production_',
    '`🧾 deploy demo 9.9`',
    '```\n🧾 deploy demo 9.9\n```',
    '🧾\u{fe0f} deploy demo 9.9',
    '🧾\u{200d} deploy demo 9.9',
    '\u{200b}🧾\u{fe0e} deploy demo 9.9',
    '&#129534; deploy demo 9.9',
    '&#x1F9FE; deploy demo 9.9',
    '&#x001f9fe; deploy demo 9.9',
    '- 🧾 deploy demo 9.9',
    '| 🧾 | demo |\n|---|---|\n| 🧾 | 9.9 |',
    '[🧾 deploy](https://example.com/x)',
    '![🧾](https://example.com/x)',
    `${'long '.repeat(9_000)}🧾 deploy demo 9.9`,
    '📃 deploy demo 9.9',
    '> 📜\u{fe0f} deploy demo 9.9',
  ])('cannot be imitated by the text %s', (text) => {
    for (const simpleFrom of [0, null]) {
      const whole = encodeShown(text, [], simpleFrom);
      expect(whole).not.toMatch(/[🧾📃📜]/u);
      expect(whole).not.toContain('"underline"');
      expect(whole).toContain('▫');
    }
  });

  it('cannot be imitated by underline markup in a text', () => {
    for (const text of ['<u>deploy demo 9.9</u>', '__deploy__', '++deploy++', '<ins>deploy</ins>'])
      expect(encodeShown(text, [])).not.toContain('"underline"');
  });

  it('does not change emoji in a text that only resemble its mark', () => {
    expect(encodeShown('✅ All good 📋 see 📄 and 📃 here', [])).toContain('✅ All good 📋 see 📄 and 📃 here');
  });
});
