import type { RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { AppError } from '@signalbox/contracts/errors';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { listNextRuns } from '@signalbox/messages/schedule/next-runs';
import { sayMoment, sayWhen } from '@signalbox/messages/schedule/say-when';
import { explainError, say } from '@signalbox/messages/say';
import { listSchedules, type Schedule } from '@signalbox/store/schedules/schedule-rows';
import { changeSchedule, type ScheduleChange } from '@signalbox/store/schedules/schedules';
import type { ChatCommand } from '../chat-command.ts';
import type { AnswerDeps, GatewayAnswer, QuestionContext } from '../question.ts';

const CHANGE = /^(pause|resume|remove|run)\s+(\d{1,9})$/i;
/** As many schedules as have buttons of their own, three for each. */
const MAX_WITH_BUTTONS = 8;

/** `/schedules` lists the sender's reminders and scheduled orders; `/schedules pause 3` changes one. */
export default {
  name: 'schedules',
  who: 'viewer',
  personal: true,
  menu: { place: 45, description: 'menu.schedules' },
  help: 'help.schedules',
  answer: async ({ db }, typed, asked) => {
    if (typed === '') return describeSchedules(await listSchedules(db, asked.envelope.userKey));
    const [, change, id] = CHANGE.exec(typed.trim()) ?? [];
    if (change === undefined) return { text: say('schedules.usage') };
    // The pattern holds the names of all changes.
    return applyChange(db, asked, change.toLowerCase() as ScheduleChange, Number(id));
  },
} satisfies ChatCommand;

async function applyChange(
  db: AnswerDeps['db'],
  { envelope: { userKey }, role }: QuestionContext,
  change: ScheduleChange,
  id: number,
): Promise<GatewayAnswer> {
  try {
    const { task } = await changeSchedule(db, { userKey, role, id }, change);
    return { text: say('schedules.changed', { id, task: toPlainName(task), change }) };
  } catch (error) {
    if (error instanceof AppError) return { text: explainError(error) };
    throw error;
  }
}

function describeSchedules(schedules: readonly Schedule[], now = new Date()): GatewayAnswer {
  if (schedules.length === 0) return { text: say('schedules.none') };
  const lines = schedules.map((one) => {
    const { id, kind, state, quiet } = one;
    const [next] = listNextRuns(one, now, 1);
    const values = { id, kind, state, isQuiet: quiet, task: toPlainName(one.task), when: sayWhen(one) };
    return say('schedules.entry', { ...values, next: next === undefined ? '' : sayMoment(next, one.zone) });
  });
  const text = [say('schedules.list'), ...lines, say('schedules.manage')].join('\n');
  return { text, buttons: schedules.slice(0, MAX_WITH_BUTTONS).flatMap(listButtons) };
}

function listButtons({ id, state }: Schedule): readonly RuntimeButton[] {
  const toggle = state === 'paused' ? 'resume' : 'pause';
  return ([toggle, 'remove', 'run'] as const).map((change) => ({
    label: say(`schedules.${change}Button`, { id }),
    value: `${change} schedule ${id}`,
  }));
}
