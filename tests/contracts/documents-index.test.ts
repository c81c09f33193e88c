import { expect, it } from 'vitest';
import { listPages, readGroups, writeIndex } from '../../docs/.vitepress/pages.mjs';
import { PAGES } from '../support/task-pages.ts';

/*
 * llms.txt lists the pages of “Read on” of the README. After a change of these:
 *   npm test -- --project unit tests/contracts/documents-index.test.ts --update
 */

it('llms.txt lists each page of “Read on” with its first sentence', async () => {
  await expect(writeIndex()).toMatchFileSnapshot('../../llms.txt');
});

it('each page of a task is in the table of contents, in the order in which the test runs it', () => {
  const readme =
    '# x\n\n## Read on\n\n- Tasks: [b](b.md), [c](c/d.md#e),\n  [f](f.md).\n- More: [g](g.md).\n\nLicense.\n';
  expect(readGroups(readme).map(({ title, pages }) => [title, pages.map(({ path }) => path)])).toEqual([
    ['Tasks', ['b.md', 'c/d.md', 'f.md']],
    ['More', ['g.md']],
  ]);
  const tasks = listPages().filter((path) => path.startsWith('docs/tasks/'));
  expect(tasks.toSorted()).toEqual(PAGES.map((name) => `docs/tasks/${name}.md`).toSorted());
});
