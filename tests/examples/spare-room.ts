import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';

/** More than anybody reads in a chat. */
const MAX_LISTED = 50;

export default toolGroup({
  name: 'spare_room',
  summary: 'Put projects that nobody works on into the spare room, and look at what is there.',
  uses: ['projects'],
  tools: {
    list_spare_room: tool({
      describe: 'List the projects in the spare room, the one that was put there last first.',
      hints: [
        'what is in the spare room',
        'list the spare room',
        'show me the spare room',
        'look into the spare room',
        'which projects are in the spare room',
        'is anything in the spare room',
      ],
      input: z.object({}),
      risk: 'safe',
      role: 'viewer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async (_input, { ports }) => {
        const projects = (await ports.projects.list()).filter(({ status }) => status === 'archived');
        return { total: projects.length, projects: projects.slice(0, MAX_LISTED).map(({ name }) => name) };
      },
      phrases: {
        done: ({ total, projects }) =>
          total === 0 ? 'The spare room is empty.' : `${total} in the spare room: ${projects.join(', ')}`,
      },
    }).from({ total: 'runtime', projects: 'outside' }),

    fill_spare_room: tool({
      describe: 'Put a project into the spare room: it is archived, and nothing of it is deleted.',
      hints: [
        'put shop into the spare room',
        'put the project blog into the spare room',
        'move shop to the spare room',
        'take blog to the spare room',
        'shop belongs into the spare room',
        'we no longer need shop, put it into the spare room',
      ],
      input: z.object({ project: ProjectName }),
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      resources: ({ project }) => [`project:${project}`],
      deadlineMs: 10_000,
      replay: 'harmless', // the action id makes it one change, however often it runs
      run: async ({ project }, { ports, actionId }) => {
        const { name } = await ports.projects.update(project, { status: 'archived' }, actionId);
        return { project: name };
      },
      probe: async ({ project }, { wrote }) =>
        (await wrote()) ? { kind: 'done', output: { project } } : { kind: 'not-done' },
      phrases: {
        order: ({ project }) => `Put ${project} into the spare room`,
        done: ({ project }) => `**${project}** is in the spare room.`,
      },
    }).from({ project: 'name' }),
  },
});
