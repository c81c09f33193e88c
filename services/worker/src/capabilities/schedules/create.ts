import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { CHANGE_DEFAULTS, tool } from '../../tools/tool.ts';
import { SCHEDULE_ORIGINS, toScheduleResult } from './result.ts';

const MAX_TASK_LENGTH = 1_000;

export const createSchedule = tool({
  describe:
    'Remind this person of something, or run an order of theirs later or again and again. Each run is a turn of its own, decided then. Nothing happens now.',
  hints: [
    'remind me tomorrow at 8 to check the demo',
    'remind me in 2 hours to call Ana',
    'every weekday at 9 tell me which services are unhealthy',
    'every night deploy main of shop to staging',
    'remind me every monday at 10 of the standup',
    'every day at 18:00 list the services',
  ],
  input: z.object({
    kind: z
      .enum(['reminder', 'task'])
      .describe('A reminder only tells; a task carries out the order')
      .meta({ ask: 'A reminder, or an order to carry out?' }),
    task: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TASK_LENGTH)
      .describe('What to tell or to do; a task word for word as the person typed it, without the time')
      .meta({ ask: 'What should I tell or do then?' }),
    when: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe('The person’s words about the time, a local time like 2026-11-29T08:00, or a cron pattern')
      .meta({ ask: 'When?' }),
    time_zone: z.string().trim().max(60).optional().describe('IANA name, when the person said a zone'),
    only_if_wrong: z
      .boolean()
      .default(false)
      .describe('For a task that asks for trouble: silent while nothing is wrong, unless they want it each time'),
  }),
  ...CHANGE_DEFAULTS,
  deadlineMs: 10_000,
  told: ['task', 'when'],
  preview: ({ kind, task, when }) => ({
    what: say('schedules.order', { kind, task: toPlainName(task), when: toPlainName(when) }),
    change: say('schedules.change', { kind }),
    reach: say('schedules.reach'),
    undo: say('schedules.undo'),
  }),
  run: async ({ time_zone, only_if_wrong, ...asked }, { ports, actor, threadId, actionId, now }) => {
    const { userKey, role } = actor;
    const zone = time_zone ?? null;
    const made = await ports.schedules.create({
      ...asked,
      userKey,
      role,
      threadId,
      zone,
      quiet: only_if_wrong,
      actionId,
    });
    return toScheduleResult(made, now());
  },
  probe: async (_, { ports, actionId, now }) => {
    const made = await ports.schedules.madeBy(actionId);
    return made ? { kind: 'done', output: toScheduleResult(made, now()) } : { kind: 'not-done' };
  },
  phrases: {
    order: ({ kind, task, when }) => say('schedules.order', { kind, task: toPlainName(task), when: toPlainName(when) }),
    done: ({ number, kind, task, when, only_if_wrong, next }) =>
      say('schedules.made', {
        id: number,
        kind,
        task: toPlainName(task),
        when,
        isQuiet: only_if_wrong,
        count: next.length,
        next: next.join(' · '),
      }),
  },
}).from(SCHEDULE_ORIGINS);
