import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { CHANGE_DEFAULTS, tool } from '../../tools/tool.ts';

export const changeSchedule = tool({
  describe: 'Pause, resume or remove a schedule or reminder of this person, or run it now.',
  hints: [
    'pause schedule 3',
    'resume schedule 3',
    'remove schedule 3',
    'delete reminder 2',
    'run schedule 3 now',
    'cancel my schedule 4',
  ],
  input: z.object({
    number: z.coerce
      .number()
      .int()
      .min(1)
      .max(999_999_999)
      .describe('Number of the schedule')
      .meta({ ask: 'Which schedule?' }),
    change: z
      .enum(['pause', 'resume', 'remove', 'run'])
      .describe('What becomes of it; run: at once')
      .meta({ ask: 'What should become of it?' }),
  }),
  ...CHANGE_DEFAULTS,
  deadlineMs: 10_000,
  run: async ({ number, change }, { ports, actor, actionId }) => {
    const { userKey, role } = actor;
    const { id, task, state } = await ports.schedules.change({ userKey, role, id: number, actionId }, change);
    return { number: id, task, state, change };
  },
  probe: async ({ number, change }, { wrote }) =>
    (await wrote()) ? { kind: 'done', output: { number, task: '', state: '', change } } : { kind: 'not-done' },
  phrases: {
    order: ({ number, change }) => say('schedules.changeOrder', { id: number, change }),
    done: ({ number, task, change }) => say('schedules.changed', { id: number, task: toPlainName(task), change }),
  },
}).from({ number: 'runtime', task: 'outside', state: 'runtime', change: 'runtime' });
