import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, tool, toolGroup } from '../tools/tool.ts';
import { z } from 'zod';
import { changeSchedule } from './schedules/change.ts';
import { createSchedule } from './schedules/create.ts';
import { describeSchedule, SCHEDULE_ORIGINS, toScheduleResult } from './schedules/result.ts';

export default toolGroup({
  name: 'schedules',
  summary: 'Remind people, and run an order later or again and again.',
  uses: ['schedules'],
  tools: {
    create_schedule: createSchedule,
    list_schedules: tool({
      describe: 'List the reminders and scheduled orders of this person, with their next runs.',
      hints: [
        'list my schedules',
        'show my reminders',
        'which schedules do I have',
        'what is scheduled',
        'what did I schedule',
        'when does my schedule run next',
      ],
      input: z.object({}),
      ...LOOK_UP_DEFAULTS,
      run: async (_, { ports, actor, now }) => ({
        schedules: (await ports.schedules.list(actor.userKey)).map((one) => toScheduleResult(one, now())),
      }),
      phrases: {
        done: ({ schedules }) =>
          schedules.length === 0
            ? say('schedules.none')
            : [say('schedules.list'), ...schedules.map(describeSchedule), say('schedules.manage')].join('\n'),
      },
    }).from({ schedules: SCHEDULE_ORIGINS }),
    change_schedule: changeSchedule,
  },
});
