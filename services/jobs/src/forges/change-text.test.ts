import { describe, expect, it } from 'vitest';
import { createChangeTexts, escapeForgeWords } from './change-text.ts';

const FACTS = { title: 'Raise tea', summary: 'It raises tea.', checks: ['npm test: ✓'], critic: 'good, low: Fine.', changeId: 7, requestedBy: 'Dora', approvedBy: ['Ada', 'Ben'], diffHash: 'ab12' }; // prettier-ignore

/** A forge looks for references in the text that a reader sees. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };
/** What the forges act on, in their own forms, wherever it stands in a line. */
const ACTS = [
  /@(?=[\w-])/, // mentions
  /(?:#|GH-|!)\d/i, // issues and changes
  /[$%~&^](?=[\w"])/, // snippets, milestones, labels, epics and alerts of GitLab
  /https?:\/\/|www\.\w/i, // addresses of issues
  /^\s*(?:[>*+-] *)*\/\w/m, // commands
  /\[(?:skip|ci|no)[ -]/i, // words that skip checks
  /\*\*\*NO_CI/i,
];

describe('the texts of a change', () => {
  it('say what was done and checked, and who approved which diff', () => {
    const { title, body, message } = createChangeTexts(FACTS);
    expect(title).toBe('Raise tea');
    expect(body).toBe(
      'It raises tea.\n\nChecks: npm test: ✓\n\nCritic: good, low: Fine.\n\n---\n\nApproved by Ada, Ben as the diff `ab12`. Change 7 of Signalbox.',
    );
    expect(message).toBe(
      'Raise tea\n\nIt raises tea.\n\nRequested-by: Dora\nSignalbox-Change: 7\nSignalbox-Diff: ab12',
    );
    expect(createChangeTexts({ ...FACTS, approvedBy: ['Cleo'] }).message).toBe(message);
  });

  it.each([
    '@everyone @ada/team @"x"',
    'Closes #12, fixes ada/shop#3, resolves GH-4 and !5',
    'Fixes https://github.com/ada/shop/issues/1 and www.example.org',
    '/merge\n/approve\n- /close\n> /assign me\n1. /label x',
    '~bug %"Next release" $3 &4 ^alert#1 *iteration:1',
    'x [skip ci] [ci skip] [no ci] [skip actions] ***NO_CI***',
    'a\r/close\u2028/reopen\u0085@ada',
  ])('mention nobody, close nothing and run no command: %j', (text) => {
    const { title, body, message } = createChangeTexts({
      ...FACTS,
      title: text,
      summary: text,
      checks: [text],
      critic: text,
      requestedBy: text,
      approvedBy: [text],
    });
    for (const part of [
      title,
      body.replace(/`\w+`/g, '').replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? ''),
      message,
    ])
      for (const act of ACTS) expect(part.replace(/\u200b/g, '\u0000')).not.toMatch(act);
  });

  it('show markdown and HTML of others as text, on lines of their own', () => {
    const summary = '# Big\n![x](y)<script>alert(1)</script>\n- [x] done\n```\n---\n| a |';
    const { body } = createChangeTexts({ ...FACTS, summary });
    expect(body).not.toMatch(/^#|^```|^---\s\s$|^\||<script|!\[|\]\(/m);
    expect(body).toContain('&lt;script&gt;');
  });

  it('keep the lines of the trailers to those of the runtime', () => {
    const { message } = createChangeTexts({ ...FACTS, summary: 'x\n\nCo-authored-by: Eve <e@x.org>' });
    expect(message.split('\n\n').at(-1)?.split('\n').map((line) => line.split(':')[0])).toEqual(['Requested-by', 'Signalbox-Change', 'Signalbox-Diff']); // prettier-ignore
  });

  it('break the lines of a commit at 72 columns', () => {
    const summary = 'It raises the price of tea and of whatever is drunk like tea. '.repeat(6);
    const { message } = createChangeTexts({ ...FACTS, summary });
    expect(Math.max(...message.split('\n').map((line) => line.length))).toBeLessThanOrEqual(72);
    expect(message.replaceAll('\n', ' ')).toContain(summary.trim());
  });

  it('hide secrets and cut long texts', () => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const { title, body, message } = createChangeTexts({ ...FACTS, title: 'x'.repeat(999), summary: token });
    expect(body + message).not.toContain(token);
    expect(title).toHaveLength(200);
  });

  it('leave plain words as they are', () => {
    for (const text of ['Raise tea from 1.2.3 to 1.2.4 (2 files)', '100 % & more', 'src/a.ts: a - b', 'Größe, чай, 茶'])
      expect(escapeForgeWords(text)).toBe(text);
  });
});
