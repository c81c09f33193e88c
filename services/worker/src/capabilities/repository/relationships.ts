import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { say } from '@signalbox/messages/say';
import { READ_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';

type Relationship = Awaited<ReturnType<ToolContext['ports']['repositories']['relationships']['usedBy']>>[number];

const SHOWN = 10;

export const listRelationships = tool({
  describe: 'Tell which projects a project depends on and which depend on it, by the packages in their manifests.',
  hints: [
    'what depends on shop',
    'what does shop depend on',
    'which projects depend on blog',
    'which projects does shop need',
    'who uses the packages of shop',
    'show the relationships of shop',
    'how is shop related to other projects',
  ],
  input: z.object({ project: ProjectName }),
  ...READ_DEFAULTS,
  role: 'viewer',
  // Package names come from the repositories.
  resources: ({ project }) => [`project:${project}`],
  deadlineMs: 10_000,
  run: async ({ project }, { ports }) => {
    await ports.projects.get(project);
    const { relationships } = ports.repositories;
    const [isKnown, dependsOn, usedBy] = await Promise.all([
      relationships.isKnown(project),
      relationships.dependsOn(project, SHOWN + 1),
      relationships.usedBy(project, SHOWN + 1),
    ]);
    return { project, isKnown, dependsOn, usedBy };
  },
  phrases: {
    done: ({ project, isKnown, dependsOn, usedBy }) =>
      isKnown
        ? [
            dependsOn.length === 0
              ? say('findings.dependsOnNone', { project })
              : sayList(say('findings.dependsOn', { project }), dependsOn),
            usedBy.length === 0
              ? say('findings.usedByNone', { project })
              : sayList(say('findings.usedBy', { project }), usedBy),
          ].join('\n\n')
        : say('findings.notAudited', { project }),
  },
}).from({
  project: 'name',
  isKnown: 'runtime',
  dependsOn: { project: 'name', packages: 'outside', total: 'runtime' },
  usedBy: { project: 'name', packages: 'outside', total: 'runtime' },
});

function sayList(title: string, all: readonly Relationship[]): string {
  const lines = all.slice(0, SHOWN).map(({ project, packages, total }) => {
    const names = packages.map((name) => `\`${name}\``).join(', ');
    return `- ${say('findings.relation', { project, packages: names, more: total - packages.length })}`;
  });
  return [title, lines.join('\n'), ...(all.length > SHOWN ? [say('findings.andMore')] : [])].join('\n\n');
}
