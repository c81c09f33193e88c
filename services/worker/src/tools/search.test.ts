import { createLog } from '@signalbox/platform/log';
import { expect, test } from 'vitest';
import type { KnowledgeSearch } from './search/knowledge-search.ts';
import { searchKnowledge } from './search.ts';

const log = createLog('test', 'silent');
const hit = (source: string, excerpt: string) => ({
  scope: 'docs' as const,
  source,
  excerpt,
  relevance: 1,
  at: null,
  next: null,
  isOwn: true,
});
const search = (knowledge: KnowledgeSearch['search']) =>
  searchKnowledge(
    { knowledge: { search: knowledge }, log },
    { query: 'leases', scope: 'docs' },
    { userKey: '1', chatKey: null, mayRead: () => true },
  );

test('the person sees excerpts of the two best search hits, and the model receives all hits', async () => {
  const long = `${'word '.repeat(200)}end`;
  const found = await search(() =>
    Promise.resolve({
      hits: [hit('a.md', long), hit('b.md', 'short'), hit('c.md', 'third')],
      unavailable: [],
      refused: [],
      refs: [],
    }),
  );
  expect(found.say).toMatch(/^\*\*a\.md\*\*\n(word )+…\n\n\*\*b\.md\*\*\nshort$/);
  expect(found.say.length).toBeLessThan(400);
  expect(found.result).toMatchObject({ results: [{ source: 'a.md' }, { source: 'b.md' }, { source: 'c.md' }] });
});

test('a table in a search hit is shown to the person as plain text, even if the excerpt begins inside it', async () => {
  const table = 'lock | one at a time |\n| lease | `a \\| b`, for a while |\n';
  const whole = '## Words\n\n| word | means |\n|------|:-----:|\n| lane | the queue of a person |\n\nSee `ls | wc`.';
  const found = await search(() =>
    Promise.resolve({ hits: [hit('a.md', whole), hit('b.md', table)], unavailable: [], refused: [], refs: [] }),
  );
  expect(found.say).toBe(
    '**a.md**\nWords word · means; lane · the queue of a person; See `ls | wc`.\n\n**b.md**\nlock · one at a time; lease · `a \\| b`, for a while;',
  );
});

test('a search without hits says so, and quotes the search terms', async () => {
  const found = await search(() => Promise.resolve({ hits: [], unavailable: ['code'], refused: [], refs: [] }));
  expect(found).toMatchObject({
    ok: true,
    say: 'I found nothing about “leases” in the documentation or in our conversations.',
  });
});

test('a search that throws becomes a failed tool call', async () => {
  const found = await search(() => Promise.reject(new Error('down')));
  expect(found).toMatchObject({ ok: false, code: 'INTERNAL', changed: false });
  expect(found.say).not.toContain('down');
});
