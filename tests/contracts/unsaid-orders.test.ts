import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { describe, expect, it } from 'vitest';

const { catalog } = createRegistry(await loadCapabilities());
const harmless = new Set(
  catalog.groups.flatMap(({ tools }) => tools.filter(({ isRead }) => isRead).map(({ name }) => name)),
);
const story = PriorContext.parse({
  names: { project: ['demo', 'shop'], server: ['web-1', 'local'] },
});
/** What would be changed at once, without another word of the person. */
const changedBy = (text: string): readonly string[] =>
  explainMessage(catalog, text, story)
    .calls.filter(({ tool }) => !harmless.has(tool) && tool !== 'search_knowledge')
    .map(({ tool, arguments: args }) => `${text}: ${tool} ${JSON.stringify(args)}`);

describe('the planner', () => {
  it('carries out changes that are ordered plainly', () => {
    const ordered = [
      'deploy demo 1.1 to staging',
      'stop demo in staging',
      'release port 3001 on web-1',
      'archive shop',
    ];
    expect(ordered.filter((text) => changedBy(text).length !== 1)).toEqual([]);
  });
});
