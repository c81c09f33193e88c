import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { READ_DEFAULTS, tool } from '../../tools/tool.ts';
import { SERVICE_SCOPE, findService, ProjectArg, OptionalEnvironment } from './asked-service.ts';

const LONGEST_SECONDS = 300;

export const followServiceLogs = tool({
  describe: 'Follow the log of a service: show its new lines as they are written, for some seconds or minutes.',
  hints: [
    'follow the logs of shop',
    'follow the logs of shop on staging for 2 minutes',
    'tail the log of blog on staging',
    'watch the logs of shop live',
    'stream the log of blog in production',
    'keep showing me the log of shop',
  ],
  input: z.object({
    project: ProjectArg,
    environment: OptionalEnvironment,
    seconds: z.coerce.number().int().min(5).max(LONGEST_SECONDS).default(30).describe('For how many seconds'),
    text: z.string().trim().max(200).optional().describe('Only lines that contain this text'),
  }),
  ...READ_DEFAULTS,
  ...SERVICE_SCOPE,
  deadlineMs: 10_000,
  run: async ({ seconds, text, ...asked }, context) => {
    const service = await findService(context.ports, asked);
    if ((await context.ports.services.find(service))?.serving == null) throw new AppError('LOG_MISSING', service);
    // The job sends the lines as one edited message, whose last line says why it ended.
    await context.enqueue('service.logs', {
      ...service,
      of: 'serving',
      tail: 1,
      sinceMinutes: null,
      untilMinutes: null,
      match: text === undefined || text === '' ? null : text,
      followSeconds: seconds,
    });
    return { ...service, seconds };
  },
  phrases: {
    done: ({ project, environment, seconds }) => say('diagnose.follows', { project, environment, seconds }),
  },
}).from({ project: 'name', environment: 'runtime', seconds: 'runtime' });
