import { z } from 'zod';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { ProjectTag } from '@signalbox/contracts/repository/tag';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, tool } from '../../tools/tool.ts';

const SHOWN = 10;
const MAX_SEVERE_FIRST = SEVERITIES.toReversed();

export const listRepositories = tool({
  describe:
    'List the repositories of all projects, those with the most severe open findings first, with their tags and when they were scanned.',
  hints: [
    'which repositories have the most findings',
    'list the repositories',
    'show the repositories tagged payments',
    'which repositories are the worst',
    'which repositories have critical findings',
    'how do all our repositories stand',
    'when were the repositories scanned',
  ],
  input: z.object({
    tags: z.array(ProjectTag).min(1).max(5).optional().describe('Only those that have each of these tags'),
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ tags = [] }, { ports }) => {
    const { total, repositories } = await ports.repositories.overview.list({ tags }, SHOWN);
    return {
      total,
      tags,
      repositories: repositories.map(({ scannedAt, ...one }) => ({
        ...one,
        scannedAt: scannedAt?.toISOString() ?? null,
      })),
    };
  },
  phrases: {
    done: ({ total, tags: wanted, repositories }) => {
      const filter = { tagged: wanted.length, tags: wanted.join(', ') };
      if (total === 0) return say('findings.noRepositories', filter);
      const lines = repositories.map(({ project, tags, scannedAt, open }) => {
        const there = MAX_SEVERE_FIRST.filter((severity) => open[severity] > 0);
        return say('findings.repository', {
          project,
          tagged: tags.length,
          tags: tags.join(', '),
          open: there.length,
          counts: there.map((severity) => say('findings.openOf', { severity, count: open[severity] })).join(', '),
          scanned: scannedAt?.slice(0, 10) ?? 'never',
        });
      });
      return [
        say('findings.repositories', { total, ...filter }),
        lines.map((line) => `- ${line}`).join('\n'),
        ...(total > lines.length ? [say('findings.moreRepositories', { count: total - lines.length })] : []),
      ].join('\n\n');
    },
  },
}).from({
  total: 'runtime',
  tags: 'name',
  repositories: { project: 'name', tags: 'name', scannedAt: 'runtime', open: 'runtime' },
});
