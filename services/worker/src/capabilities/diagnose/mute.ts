import { z } from 'zod';
import { Environment } from '@signalbox/contracts/conversation/fields';
import { HOUR_MS } from '@signalbox/contracts/time';
import { sayChosenTime } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool } from '../../tools/tool.ts';
import { SERVICE_SCOPE, findService, ProjectArg } from './asked-service.ts';

export const muteService = tool({
  describe:
    'Keep messages about the health of a service away for some hours; it is still watched. Zero hours bring them back.',
  hints: [
    'mute shop in staging for 1 hour',
    'mute shop',
    'mute the alerts of blog in production for 4 hours',
    'silence shop on staging',
    'stop telling me about shop in staging',
    'unmute shop in staging',
    'no alerts about blog for 2 hours',
  ],
  input: z.object({
    project: ProjectArg,
    environment: Environment,
    hours: z.coerce
      .number()
      .min(0)
      .max(7 * 24)
      .default(1)
      .describe('For how many hours, 0.5 for 30 minutes; 0 brings messages back'),
  }),
  ...CHANGE_DEFAULTS,
  ...SERVICE_SCOPE,
  deadlineMs: 5_000,
  run: async ({ hours, ...asked }, { ports, actor, now, actionId }) => {
    const service = await findService(ports, asked);
    const until = hours === 0 ? null : new Date(now().getTime() + hours * HOUR_MS);
    await ports.services.mute(service, until, actor.userKey, actionId);
    return { ...service, hours, until: until?.toISOString() ?? null };
  },
  probe: async ({ hours, ...asked }, { ports, wrote }) => {
    if (!(await wrote())) return { kind: 'not-done' };
    const service = await findService(ports, asked);
    const until = (await ports.services.find(service))?.mutedUntil ?? null;
    return { kind: 'done', output: { ...service, hours, until: until?.toISOString() ?? null } };
  },
  phrases: {
    order: ({ project, environment, hours }) =>
      say('diagnose.muteOrder', { project, environment, isOver: hours === 0, time: sayChosenTime(hours * HOUR_MS) }),
    done: ({ project, environment, hours }) =>
      hours === 0
        ? say('diagnose.unmuted', { project, environment })
        : say('diagnose.muted', { project, environment, time: sayChosenTime(hours * HOUR_MS) }),
  },
}).from({ project: 'name', environment: 'runtime', hours: 'runtime', until: 'runtime' });
