import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { sayRota } from '@signalbox/messages/schedule/say-rota';
import { LOOK_UP_DEFAULTS, optionalProject, tool } from '../../tools/tool.ts';

export const whoIsOnCall = tool({
  describe: 'Say who is on call, until when, and who is next.',
  hints: [
    'who is on call',
    'who is on call for shop',
    'who is on duty tonight',
    'show the on-call rota',
    'when does the on-call shift end',
    'who is next on call',
  ],
  input: z.object({ project: optionalProject('Left out: all') }),
  ...LOOK_UP_DEFAULTS,
  resources: ({ project }) => (project === undefined ? [] : [`project:${project}`]),
  run: async ({ project }, { ports }) => {
    if (project !== undefined) await ports.projects.get(project);
    return { rotas: await ports.onCall.list(project) };
  },
  phrases: {
    done: ({ rotas }) => (rotas.length === 0 ? say('oncall.none') : rotas.map(sayRota).join('\n\n')),
  },
}).from({
  rotas: {
    rota: 'name',
    projects: 'name',
    people: 'name',
    onCall: 'name',
    until: 'runtime',
    next: 'name',
    zone: 'runtime',
    weekday: 'runtime',
    clock: 'runtime',
    escalateMinutes: 'runtime',
    covers: { name: 'name', from: 'runtime', until: 'runtime' },
  },
});
