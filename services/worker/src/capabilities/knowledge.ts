import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { CHANGE_DEFAULTS, tool, toolGroup } from '../tools/tool.ts';

export default toolGroup({
  name: 'knowledge',
  summary: 'Keep the searchable documentation up to date.',
  uses: [],
  tools: {
    index_docs: tool({
      describe:
        'Read the documentation again, so that search finds what changed. Takes a while; the person is told when it is done.',
      hints: [
        'index the docs',
        'reindex the documentation',
        'update the knowledge base',
        'read the docs again',
        'refresh the documentation index',
        'reindex',
        'the docs changed, index them',
        'the docs are out of date',
      ],
      input: z.object({}),
      ...CHANGE_DEFAULTS,
      deadlineMs: 10_000,
      run: (_, { enqueue }) => enqueue('knowledge.index', {}),
      // The job itself stores its result.
      probe: async (_, { wrote, actionId }) =>
        (await wrote()) ? { kind: 'done', output: { runId: actionId } } : { kind: 'not-done' },
      phrases: { order: () => say('agent.indexOrder'), done: () => say('agent.indexing') },
    }).from({ runId: 'runtime' }),
  },
});
